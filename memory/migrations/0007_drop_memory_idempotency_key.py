from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("memory", "0006_keep_idempotency_keys")]

    operations = [
        migrations.RemoveConstraint(
            model_name="memory", name="memory_once_per_idempotency_key"
        ),
        migrations.RemoveField(model_name="memory", name="idempotency_key"),
    ]
