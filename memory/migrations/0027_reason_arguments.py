"""A reason's code and argument, beside the sentence."""

from django.db import migrations, models

_CODE = models.CharField(max_length=30, default="", db_default="", editable=False)
_ARGUMENT = models.TextField(default="", db_default="", editable=False)


class Migration(migrations.Migration):
    dependencies = [("memory", "0026_event_by_action_id")]

    operations = [
        migrations.AddField("memoryevent", "reason_code", _CODE),
        migrations.AddField("memoryevent", "reason_argument", _ARGUMENT),
        migrations.AddField("memoryrevision", "reason_code", _CODE.clone()),
        migrations.AddField("memoryrevision", "reason_argument", _ARGUMENT.clone()),
    ]
