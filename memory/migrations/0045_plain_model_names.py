from django.db import migrations


class Migration(migrations.Migration):
    """The admin names records in plain words."""

    dependencies = [
        ('memory', '0044_importance_learns'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='auditentry',
            options={'verbose_name': 'activity log entry', 'verbose_name_plural': 'activity log'},
        ),
        migrations.AlterModelOptions(
            name='installationauditentry',
            options={'verbose_name': 'activity log entry of the installation', 'verbose_name_plural': 'activity log of the installation'},
        ),
        migrations.AlterModelOptions(
            name='membership',
            options={'verbose_name': 'member', 'verbose_name_plural': 'members'},
        ),
        migrations.AlterModelOptions(
            name='memoryembedding',
            options={'verbose_name': 'vector', 'verbose_name_plural': 'vectors'},
        ),
        migrations.AlterModelOptions(
            name='memoryrevision',
            options={'verbose_name': 'earlier version', 'verbose_name_plural': 'earlier versions'},
        ),
        migrations.AlterModelOptions(
            name='relevancemark',
            options={'verbose_name': 'relevance label', 'verbose_name_plural': 'relevance labels'},
        ),
    ]
