"""The app of the core. It registers jobs when all models are loaded."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class MemoryConfig(AppConfig):
    """The configuration of the app."""

    name = "memory"
    verbose_name = _("Memory")

    def ready(self) -> None:
        # Their models are there only now.
        from accounts.sign_in import audit as sign_in_audit  # noqa: F401 - connects its receivers
        from memory.consolidation import consolidation_job, proposing
        from memory.embeddings import switching
        from memory.jobs.kinds import register
        from memory.retention.erasure import register as register_erasure
        from memory.spaces import deletion
        from memory.transfer import importing, upload
        from memory.users import erasure

        register(upload.IMPORT, importing.import_space)
        register(switching.KIND, switching.switch)
        register(deletion.KIND, deletion.delete_in_batches)
        register(erasure.KIND, erasure.erase, erasure.LABELS)
        register(
            consolidation_job.KIND,
            consolidation_job.consolidate,
            consolidation_job.LABELS,
            proposing.details,
        )
        register_erasure(proposing.erase)
