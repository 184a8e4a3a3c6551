from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AssessorConfig(AppConfig):
    name = "assessor"
    verbose_name = _("Assessment")
