"""Start a job in each space with long memories (memory.embeddings.long_job)."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models.functions import Length

LONG = 500


def start_jobs(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Write the jobs; beat finds them."""
    memories = apps.get_model("memory", "Memory").objects.alias(size=Length("content"))
    spaces = memories.filter(size__gt=LONG).order_by().values_list("space_id", flat=True)
    jobs = apps.get_model("memory", "Job").objects
    for space_id in list(spaces.distinct()):
        jobs.create(space_id=space_id, kind="embed_long", actor_type="system")


class Migration(migrations.Migration):
    dependencies = [("memory", "0055_further_embeddings")]

    operations = [migrations.RunPython(start_jobs, migrations.RunPython.noop)]
