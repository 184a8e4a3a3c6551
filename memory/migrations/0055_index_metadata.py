from django.contrib.postgres.indexes import GinIndex
from django.db import migrations

from memory.repeatable_indexes import AddIndexConcurrently


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("memory", "0054_index_large_spaces")]

    operations = [
        AddIndexConcurrently(
            model_name="memory",
            index=GinIndex(
                fields=["metadata"], name="memory_metadata", opclasses=["jsonb_path_ops"]
            ),
        ),
    ]
