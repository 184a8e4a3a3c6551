import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.functions.comparison
from django.db import migrations, models


class Migration(migrations.Migration):
    """Recall in a large space looks for words inside the space, and for what matters most."""

    dependencies = [
        ('memory', '0003_search_uncompressed'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='memory',
            name='memory_search',
        ),
        migrations.AddIndex(
            model_name='memory',
            index=models.Index(models.F('space'), models.OrderBy(models.F('importance'), descending=True), condition=models.Q(('status', 'live')), name='memory_live_importance'),
        ),
        migrations.AddIndex(
            model_name='memory',
            index=django.contrib.postgres.indexes.GinIndex(models.Func(models.F('search'), models.Func(models.Func(models.Value('@'), django.db.models.functions.comparison.Cast('space_id', models.TextField()), arg_joiner=' || ', template='%(expressions)s'), template='array_to_tsvector(ARRAY[%(expressions)s])'), arg_joiner=' || ', output_field=django.contrib.postgres.search.SearchVectorField(), template='(%(expressions)s)'), name='memory_search_in_space'),
        ),
    ]
