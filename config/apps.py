"""App configurations for this package's commands and for the admin site."""

from django.apps import AppConfig
from django.contrib.admin import apps as admin


class EbbConfig(AppConfig):
    """The project package as an app, for its management commands."""

    name = "config"
    default = True


class EbbAdminConfig(admin.AdminConfig):
    """Django's admin with unfold's pages and a matching Content-Security-Policy."""

    default = False
    default_site = "config.admin.site.EbbAdminSite"
