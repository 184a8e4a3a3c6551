"""The assessor as a Django app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AssessorConfig(AppConfig):
    """The assessor app: registers its export sections, write guard and background job."""

    name = "assessor"
    verbose_name = _("Assessment")

    def ready(self) -> None:
        from assessor import reassessing  # importable only once models are loaded
        from assessor.transfer import SECTIONS
        from assessor.write_guard import GUARD
        from memory.jobs import kinds
        from memory.tools import write_guard
        from memory.transfer.sections import contribute

        contribute(*SECTIONS)
        write_guard.register(GUARD)
        counts = {"judged": _("assessed"), "failed": _("failed")}
        labels = kinds.Labels(_("Re-assessment"), counts)
        kinds.register(reassessing.KIND, reassessing.reassess, labels)
