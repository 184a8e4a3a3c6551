"""The assessor as a Django app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AssessorConfig(AppConfig):
    """The assessor app: registers its export sections, erasure, write guard, background jobs, and
    what it assesses at once."""

    name = "assessor"
    verbose_name = _("Assessment")

    def ready(self) -> None:
        # Importable only once models are loaded.
        from assessor import reassessing, tasks
        from assessor.documents import document_job
        from assessor.language_model import consolidating
        from assessor.outbox import erasure, queue
        from assessor.outbox.transfer import SECTIONS
        from assessor.saving.write_guard import GUARD, facets_of
        from memory.consolidation import summarizing
        from memory.jobs import kinds
        from memory.reconciliation import patched_facets
        from memory.retention.erasure import register as register_erasure
        from memory.tools import write_guard
        from memory.transfer.sections import contribute

        contribute(*SECTIONS)
        register_erasure(erasure.erase)
        queue.register(tasks.assess_at_once)
        write_guard.register(GUARD)
        patched_facets.register(facets_of)
        summarizing.register(consolidating.summarize)
        counts = {"judged": _("assessed"), "failed": _("failed")}
        labels = kinds.Labels(_("Re-assessment"), counts)
        kinds.register(reassessing.KIND, reassessing.reassess, labels)
        kinds.register(document_job.KIND, document_job.remember_document, document_job.LABELS)
