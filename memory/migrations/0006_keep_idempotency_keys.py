from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("memory", "0005_conversations")]

    operations = [
        migrations.RunSQL(
            "INSERT INTO memory_idempotentwrite (space_id, key, memory_id)"
            " SELECT space_id, idempotency_key, id FROM memory_memory"
            " WHERE idempotency_key IS NOT NULL",
            "UPDATE memory_memory m SET idempotency_key = w.key FROM memory_idempotentwrite w"
            " WHERE m.space_id = w.space_id AND m.id = w.memory_id",
        )
    ]
