import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """The order of a conversation, and requests that must be answered once."""

    dependencies = [("memory", "0004_recall_indexes")]

    operations = [
        migrations.AddField(
            model_name="memory",
            name="source_position",
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddIndex(
            model_name="memory",
            index=models.Index(
                models.F("space"),
                models.F("source_conversation"),
                models.F("created_at"),
                models.F("source_position"),
                condition=models.Q(("source_conversation", ""), _negated=True),
                name="memory_turns",
            ),
        ),
        migrations.CreateModel(
            name="IdempotentWrite",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=200)),
                ("memory", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="idempotent_writes", to="memory.memory")),
                ("space", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="memory.space")),
            ],
        ),
        migrations.AddConstraint(
            model_name="idempotentwrite",
            constraint=models.UniqueConstraint(fields=("space", "key"), name="write_once_per_idempotency_key"),
        ),
    ]
