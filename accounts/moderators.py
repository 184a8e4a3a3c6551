"""The group of people who moderate memories in all spaces, without access to secrets.

The group is created once; later changes by an administrator are kept.
"""

from django.contrib.auth.models import Group, Permission
from django.db import transaction
from django.db.models import Q

NAME = "moderators"
# Excluded: API keys, webhooks, accounts, and the activity log, which names keys.
MAY = {
    "memory": (
        "view_memory", "change_memory", "delete_memory", "view_memoryevent",
        "view_policyversion",
    ),
    "accounts": ("view_space",),
    "assessor": ("view_assessment", "change_assessment"),
    "chat": ("view_conversation", "view_message"),
}  # fmt: skip


@transaction.atomic
def make_moderators() -> Group:
    """Return the group; a new one gets its permissions."""
    group, is_new = Group.objects.get_or_create(name=NAME)
    if is_new:
        asked = Q(pk__in=[])
        for app, codenames in MAY.items():
            asked |= Q(content_type__app_label=app, codename__in=codenames)
        group.permissions.set(Permission.objects.filter(asked))
    return group
