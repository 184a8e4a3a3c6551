"""Small spaces leave the approximate indexes; large ones are marked (memory.embeddings.indexing)."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import Count

LARGE = 2500


def drop_indexes(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Drop each model's index, so that marking the vectors takes seconds."""
    for embedder in apps.get_model("memory", "Embedder").objects.all():
        editor.execute(f"DROP INDEX IF EXISTS embedding_hnsw_{embedder.pk}")


def mark_large_spaces(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Mark the vectors of large spaces, space by space: one shard each in a cluster."""
    vectors = apps.get_model("memory", "MemoryEmbedding").objects
    sizes = vectors.values_list("space_id").annotate(size=Count("pk")).order_by()
    for space_id, _size in list(sizes.filter(size__gt=LARGE)):
        apps.get_model("memory", "Space").objects.filter(pk=space_id).update(vectors_indexed=True)
        vectors.filter(space_id=space_id).update(in_index=True)


def index_marked(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Build each model's index for marked vectors."""
    _build(apps, editor, " AND in_index")


def index_all(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Build each model's index for all its vectors."""
    _build(apps, editor, "")


def _build(apps: Apps, editor: BaseDatabaseSchemaEditor, condition: str) -> None:
    for embedder in apps.get_model("memory", "Embedder").objects.all():
        editor.execute(
            f"CREATE INDEX embedding_hnsw_{embedder.pk} ON memory_memoryembedding"
            f" USING hnsw ((vector::halfvec({embedder.dimensions})) halfvec_cosine_ops)"
            f" WHERE embedder_id = {embedder.pk}{condition}"
        )


class Migration(migrations.Migration):
    dependencies = [("memory", "0053_choose_embeddings")]

    operations = [
        migrations.RunPython(drop_indexes, index_all),
        migrations.AddField(
            model_name="memoryembedding",
            name="in_index",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.AddField(
            model_name="space",
            name="vectors_indexed",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.RunPython(mark_large_spaces, migrations.RunPython.noop),
        migrations.RunPython(index_marked, drop_indexes),
    ]
