"""The configuration of the admin site as an app."""

from django.contrib.admin import apps as admin


class EbbAdminConfig(admin.AdminConfig):
    """Django's admin with unfold's pages and a matching Content-Security-Policy."""

    default = False
    default_site = "config.admin.site.EbbAdminSite"
