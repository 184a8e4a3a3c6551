from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AssessorConfig(AppConfig):
    name = "assessor"
    verbose_name = _("Assessment")

    def ready(self) -> None:
        from assessor import reassessing  # its models are there only now
        from assessor.guard import GUARD
        from assessor.transfer import SECTIONS
        from memory.gate import appoint
        from memory.jobs import Words
        from memory.jobs import contribute as contribute_work
        from memory.transfer.sections import contribute

        contribute(*SECTIONS)
        appoint(GUARD)
        counts = {"judged": _("judged"), "failed": _("could not be judged")}
        words = Words(_("Judging again"), counts)
        contribute_work(reassessing.KIND, reassessing.reassess, words)
