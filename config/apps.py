"""The wiring as Django apps: the commands of this package, and the admin site's looks."""

from django.apps import AppConfig
from django.contrib.admin import apps as admin


class EbbConfig(AppConfig):
    name = "config"
    default = True


class EbbAdminConfig(admin.AdminConfig):
    """Django's admin, drawn by unfold and with a Content-Security-Policy it can live with."""

    default = False
    default_site = "config.admin_site.EbbAdminSite"
