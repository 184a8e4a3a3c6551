from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0055_index_metadata")]

    operations = [
        migrations.AddField(
            model_name="memoryrevision",
            name="metadata",
            field=models.JSONField(editable=False, null=True, verbose_name="metadata"),
        ),
    ]
