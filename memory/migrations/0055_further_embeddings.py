"""The vectors of long memories: a table beside, with an approximate index for each model."""

import django.db.models.deletion
import pgvector.django.halfvec
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from memory.space_keys import AddSpaceForeignKey, SpaceKeys


def add_indexes(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Add each known model's index, as embeddings.embedders does for a new one."""
    for embedder in apps.get_model("memory", "Embedder").objects.all():
        editor.execute(
            f"CREATE INDEX further_hnsw_{embedder.pk} ON memory_furtherembedding"
            f" USING hnsw ((vector::halfvec({embedder.dimensions})) halfvec_cosine_ops)"
            f" WHERE embedder_id = {embedder.pk} AND in_index"
        )


class Migration(migrations.Migration):
    dependencies = [("memory", "0054_index_large_spaces")]

    operations = [
        migrations.AddField(
            model_name="memoryembedding",
            name="further",
            field=models.SmallIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.CreateModel(
            name="FurtherEmbedding",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("place", models.SmallIntegerField(editable=False)),
                ("vector", pgvector.django.halfvec.HalfVectorField()),
                ("in_index", models.BooleanField(db_default=False, default=False, editable=False)),
                (
                    "embedder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="memory.embedder",
                        verbose_name="embedding model",
                    ),
                ),
                (
                    "memory",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="further_embeddings",
                        to="memory.memory",
                        verbose_name="memory",
                    ),
                ),
                (
                    "space",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="memory.space",
                        verbose_name="space",
                    ),
                ),
            ],
            options={
                "verbose_name": "vector of a long memory",
                "verbose_name_plural": "vectors of long memories",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("space", "embedder", "memory", "place"),
                        name="further_embedding_once",
                    )
                ],
            },
        ),
        SpaceKeys("FurtherEmbedding"),
        AddSpaceForeignKey("FurtherEmbedding", "memory"),
        migrations.RunPython(add_indexes, migrations.RunPython.noop),
    ]
