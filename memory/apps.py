from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class MemoryConfig(AppConfig):
    name = "memory"
    verbose_name = _("Memory")

    def ready(self) -> None:
        # Their models are there only now.
        from memory.embeddings import switching
        from memory.jobs.kinds import register
        from memory.retention import sweep_job
        from memory.spaces import deletion
        from memory.transfer import importing, upload

        register(upload.IMPORT, importing.import_space)
        register(switching.KIND, switching.switch)
        register(sweep_job.KIND, sweep_job.sweep_in_batches, sweep_job.LABELS)
        register(deletion.KIND, deletion.delete_in_batches)
