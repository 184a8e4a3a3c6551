"""Names of permissions in the reader's language; Django stores them in English."""

from typing import Any, Final

from django.contrib.auth.models import Permission
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _
from unfold.admin import ModelAdmin

_ACTIONS: Final = {
    "add": _("can add"),
    "change": _("can change"),
    "delete": _("can delete"),
    "view": _("can view"),
}
# Models without a page in the admin, whose names Django derives from their classes.
_UNNAMED: Final = (_("limit count"),)
_HIDDEN: Final = ("account", "mfa", "socialaccount", "usersessions")
"""Apps of django-allauth, which have no page in the admin."""


def permission_label(permission: Permission) -> str:
    """Return the app, the model and the action of a permission."""
    action, _underscore, _model = permission.codename.partition("_")
    does = gettext(_ACTIONS[action]) if action in _ACTIONS else permission.name
    app, separator, model = str(permission.content_type).partition(" | ")
    return f"{app}{separator}{gettext(model)} | {does}"


class PermissionsInWords(ModelAdmin):
    """Base for the admins of users and groups: their permissions have translated labels."""

    def formfield_for_manytomany(self, db_field: Any, request: Any = None, **kwargs: Any) -> Any:
        """Label the choices of a field of permissions."""
        field = super().formfield_for_manytomany(db_field, request, **kwargs)
        if field is not None and db_field.related_model is Permission:
            field.queryset = field.queryset.exclude(content_type__app_label__in=_HIDDEN)
            field.label_from_instance = permission_label
        return field
