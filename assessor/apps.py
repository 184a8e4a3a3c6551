from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AssessorConfig(AppConfig):
    name = "assessor"
    verbose_name = _("Assessment")

    def ready(self) -> None:
        from assessor.guard import GUARD
        from assessor.transfer import SECTIONS  # its models are there only now
        from memory.gate import appoint
        from memory.transfer.sections import contribute

        contribute(*SECTIONS)
        appoint(GUARD)
