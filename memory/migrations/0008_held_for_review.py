from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0007_drop_memory_idempotency_key'),
    ]

    operations = [
        migrations.AddField(
            model_name='memory',
            name='review_reason',
            field=models.TextField(blank=True, editable=False, verbose_name='held because'),
        ),
        migrations.AlterField(
            model_name='memoryevent',
            name='action',
            field=models.CharField(choices=[('created', 'created'), ('revised', 'revised'), ('reinforced', 'reinforced'), ('used', 'used'), ('expired', 'expired'), ('evicted', 'evicted'), ('deleted', 'deleted'), ('restored', 'restored'), ('purged', 'purged'), ('pinned', 'pinned'), ('unpinned', 'unpinned'), ('held', 'held for review'), ('approved', 'approved'), ('rejected', 'rejected')], max_length=10, verbose_name='action'),
        ),
    ]
