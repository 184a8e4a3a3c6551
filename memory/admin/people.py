"""Users, spaces, keys and the audit log, for operators of Ebb."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin, TabularInline
from unfold.contrib.filters.admin import ChoicesDropdownFilter
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from accounts import roles
from accounts.keys.installation_keys import revoke_installation_key
from accounts.keys.services import revoke_key
from accounts.members.services import add_member, remove_member
from accounts.models import (
    ApiKey,
    AuditEntry,
    InstallationAuditEntry,
    InstallationKey,
    Membership,
    Role,
    Scope,
    Space,
    User,
)
from foundation.errors import Conflict
from memory.admin.base import BY_SPACE, OperatorsAdmin, ReadOnlyAdmin, actor, actor_of
from memory.admin.permissions import PermissionsInWords
from memory.spaces.services import rename_space

admin.site.unregister(Group)


@admin.register(User)
class UserAdmin(OperatorsAdmin, PermissionsInWords, DjangoUserAdmin, ModelAdmin):  # type: ignore[type-arg]  # not subscriptable when run
    """User accounts."""

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ("username", "email", "is_active", "is_staff", "last_login", "date_joined")
    list_fullwidth = True
    fieldsets = (
        *(DjangoUserAdmin.fieldsets or ()),
        (_("Invitations"), {"fields": ("is_vouched",)}),
    )

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Forbid deletion: it would remove the account's memberships unrecorded, possibly a last
        owner's. Deactivate the account instead.
        """
        return False


@admin.register(Group)
class GroupAdmin(OperatorsAdmin, PermissionsInWords, DjangoGroupAdmin, ModelAdmin):
    """Groups of users."""

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """List the groups only. The rows that link them to their permissions have no names."""
        _listed, _counts, needed, protected = super().get_deleted_objects(objs, request)
        counts = {self.opts.verbose_name_plural: len(objs)}
        return [str(group) for group in objs], counts, needed, protected


class MembershipInline(TabularInline):
    """The members of a space."""

    model = Membership
    extra = 0
    hide_title = True  # the title repeats the row
    autocomplete_fields = ("user",)


@admin.register(Space)
class SpaceAdmin(OperatorsAdmin, ReadOnlyAdmin):
    """Spaces and their members."""

    list_display = ("name", "slug", "embedder", "created_at", "closed_at")
    list_select_related = ("embedder",)
    search_fields = ("name", "slug")
    fields = ("name", "slug", "embedder", "created_at", "closed_at")
    readonly_fields = ("slug", "embedder", "created_at", "closed_at")
    inlines = (MembershipInline,)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Allow moderators only the names, for the filters of their lists."""
        match = request.resolver_match
        if match is not None and match.url_name == "autocomplete":
            return request.user.has_perm("accounts.view_space")
        return super().has_view_permission(request, obj)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return roles.may_operate(request.user)

    def save_model(self, request: HttpRequest, obj: Space, form: Any, change: bool) -> None:
        """Rename the space through the service, which records it in the activity log."""
        rename_space(space=obj, name=obj.name, actor=actor_of(request), now=timezone.now())

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """Add, change and remove members through the services, which record them in the audit log.
        New members come first, so that another user can replace the last owner.
        """
        changed = formset.save(commit=False)
        leaving = list(formset.deleted_objects)
        for member in changed:
            if member.pk is not None:  # the form may have put another user into this row
                was = Membership.objects.get(pk=member.pk)
                if was.user_id != member.user_id:
                    leaving.append(was)
        try:
            self._seat(request, changed, leaving)
        except Conflict:
            messages.error(request, _("A space needs an owner. Make someone else an owner first."))

    @transaction.atomic
    def _seat(
        self, request: HttpRequest, coming: list[Membership], leaving: list[Membership]
    ) -> None:
        actor, now = actor_of(request), timezone.now()
        # Owners first, so that a former last owner can be changed or removed.
        for member in sorted(coming, key=lambda member: member.role != Role.OWNER):
            add_member(
                space=member.space, user=member.user, role=Role(member.role), actor=actor, now=now
            )
        for gone in leaving:
            remove_member(membership=gone, actor=actor, now=now)


@admin.register(ApiKey)
class ApiKeyAdmin(OperatorsAdmin, ReadOnlyAdmin):
    """API keys of all spaces, without secrets."""

    list_display = (
        "prefix", "name", "space", "scope_labels", "last_used_at", "expires_at", "revoked_at",
    )  # fmt: skip
    list_filter = (BY_SPACE,)
    list_select_related = ("space",)
    search_fields = ("name", "prefix")
    exclude = ("digest", "previous_digest", "scopes")
    readonly_fields = ("scope_labels",)
    actions = ("revoke",)

    @admin.display(description=_("scopes"))
    def scope_labels(self, key: ApiKey) -> str:
        """Return the key's permissions in the reader's language."""
        return ", ".join(str(Scope(scope).label) for scope in key.scopes)

    @admin.action(description=_("Revoke the selected keys"), permissions=["revoke"])
    def revoke(self, request: HttpRequest, keys: QuerySet[ApiKey]) -> None:
        """Revoke the selected keys."""
        for key in keys:
            revoke_key(key=key, actor=actor_of(request), now=timezone.now())

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        """Return True for operators."""
        return roles.may_operate(request.user)


@admin.register(InstallationKey)
class InstallationKeyAdmin(OperatorsAdmin, ReadOnlyAdmin):
    """Installation keys, without secrets."""

    list_display = ("prefix", "name", "created_at", "last_used_at", "expires_at", "revoked_at")
    search_fields = ("name", "prefix")
    exclude = ("digest",)
    actions = ("revoke",)

    @admin.action(description=_("Revoke the selected keys"), permissions=["revoke"])
    def revoke(self, request: HttpRequest, keys: QuerySet[InstallationKey]) -> None:
        """Revoke the selected keys."""
        for key in keys:
            revoke_installation_key(key=key, actor=actor_of(request), now=timezone.now())

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        """Return True for operators."""
        return roles.may_operate(request.user)


@admin.register(InstallationAuditEntry)
class InstallationAuditEntryAdmin(OperatorsAdmin, ReadOnlyAdmin):
    """The audit log of the installation."""

    list_display = ("at", "action", "subject", actor)
    list_filter = (("action", ChoicesDropdownFilter),)
    search_fields = ("subject", "actor_name")
    ordering = ("-pk",)


@admin.register(AuditEntry)
class AuditEntryAdmin(OperatorsAdmin, ReadOnlyAdmin):
    """The audit log of all spaces."""

    list_display = ("at", "action", "subject", "space", actor)
    list_filter = (BY_SPACE, ("action", ChoicesDropdownFilter))
    list_select_related = ("space",)
    search_fields = ("subject", "actor_name")
    ordering = ("-pk",)
