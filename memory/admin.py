"""The admin over the memory core. What a service must do (revisions, history) is not done here:
memories, history and vectors are for reading; people, spaces and keys can be edited."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin, TabularInline
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from memory.actors import Actor
from memory.models import (
    ApiKey,
    AuditEntry,
    Embedder,
    Membership,
    Memory,
    MemoryEmbedding,
    MemoryEvent,
    MemoryRevision,
    PolicyVersion,
    RelevanceMark,
    Space,
    Status,
    User,
    WorkerHeartbeat,
)
from memory.services.keys import revoke_key
from memory.services.recycle_bin import delete_memory, restore_memory
from memory.services.spaces import add_member, remove_member

admin.site.unregister(Group)


class ReadOnlyAdmin(ModelAdmin):
    """For rows that only services write."""

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(User)
class UserAdmin(DjangoUserAdmin, ModelAdmin):  # type: ignore[type-arg]  # not subscriptable when run
    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin, ModelAdmin):
    pass


class MembershipInline(TabularInline):
    model = Membership
    extra = 0
    autocomplete_fields = ("user",)


@admin.register(Space)
class SpaceAdmin(ModelAdmin):
    list_display = ("name", "slug", "embedder", "created_at")
    search_fields = ("name", "slug")
    inlines = (MembershipInline,)

    def has_add_permission(self, request: HttpRequest) -> bool:
        # A space needs its first policy: the service makes both.
        return False

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """Members come, change and go through the services, which note it in the audit."""
        changed = formset.save(commit=False)
        actor, now = Actor("user", request.user.get_username()), timezone.now()
        for gone in formset.deleted_objects:
            remove_member(membership=gone, actor=actor, now=now)
        for member in changed:
            if member.pk is not None:  # of whoever it was: the row may name another user now
                was = Membership.objects.get(pk=member.pk)
                if was.user_id != member.user_id:
                    remove_member(membership=was, actor=actor, now=now)
            add_member(space=member.space, user=member.user, role=member.role, actor=actor, now=now)


@admin.register(ApiKey)
class ApiKeyAdmin(ReadOnlyAdmin):
    list_display = (
        "prefix", "name", "space", "scopes", "rate_limit", "last_used_at", "expires_at",
        "revoked_at",
    )  # fmt: skip
    list_filter = ("space",)
    search_fields = ("name", "prefix")
    exclude = ("digest", "previous_digest")
    actions = ("revoke",)

    @admin.action(description=_("Revoke the selected keys"), permissions=["revoke"])
    def revoke(self, request: HttpRequest, keys: QuerySet[ApiKey]) -> None:
        for key in keys:
            actor = Actor("user", request.user.get_username())
            revoke_key(key=key, actor=actor, now=timezone.now())

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("memory.change_apikey")


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    list_display = ("at", "action", "subject", "space", "actor_type", "actor_name")
    list_filter = ("action", "space")
    list_select_related = ("space",)
    search_fields = ("subject", "actor_name")
    date_hierarchy = "at"


@admin.register(Memory)
class MemoryAdmin(ReadOnlyAdmin):
    list_display = (
        "content_start", "space", "memory_type", "importance", "status", "pinned", "use_count",
        "expires_at", "created_at",
    )  # fmt: skip
    list_filter = ("status", "memory_type", "pinned", "core", "space")
    list_select_related = ("space",)
    search_fields = ("content", "short_id")
    date_hierarchy = "created_at"
    actions = ("let_go", "take_back")

    @admin.display(description=_("content"), ordering="content")
    def content_start(self, memory: Memory) -> str:
        return memory.content[:100]

    @admin.action(description=_("Move to the recycle bin"), permissions=["moderate"])
    def let_go(self, request: HttpRequest, memories: QuerySet[Memory]) -> None:
        self._each(request, memories.exclude(status=Status.BINNED), delete_memory)

    @admin.action(description=_("Restore from the recycle bin"), permissions=["moderate"])
    def take_back(self, request: HttpRequest, memories: QuerySet[Memory]) -> None:
        self._each(request, memories.filter(status=Status.BINNED), restore_memory)

    def _each(self, request: HttpRequest, memories: QuerySet[Memory], service: Any) -> None:
        actor = Actor("user", request.user.get_username())
        for memory in memories.select_related("space"):
            service(space=memory.space, memory_id=memory.pk, actor=actor, now=timezone.now())

    def has_moderate_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("memory.change_memory")


@admin.register(MemoryEvent)
class MemoryEventAdmin(ReadOnlyAdmin):
    list_display = ("at", "action", "content", "space", "actor_type", "actor_name", "reason")
    list_filter = ("action", "actor_type", "space")
    list_select_related = ("space",)
    search_fields = ("content", "memory_id", "actor_name")
    date_hierarchy = "at"


@admin.register(MemoryRevision)
class MemoryRevisionAdmin(ReadOnlyAdmin):
    list_display = ("memory_id", "number", "content", "replaced_at", "actor_name")
    list_filter = ("space",)
    search_fields = ("content",)


@admin.register(MemoryEmbedding)
class MemoryEmbeddingAdmin(ReadOnlyAdmin):
    list_display = ("memory_id", "embedder", "space")
    list_filter = ("embedder", "space")
    list_select_related = ("embedder", "space")
    exclude = ("vector",)


@admin.register(RelevanceMark)
class RelevanceMarkAdmin(ReadOnlyAdmin):
    list_display = ("query", "memory", "relevant", "made_by", "space", "created_at")
    list_filter = ("space", "relevant")
    list_select_related = ("memory", "made_by", "space")
    search_fields = ("query",)


@admin.register(PolicyVersion)
class PolicyVersionAdmin(ReadOnlyAdmin):
    list_display = ("space", "version", "created_at", "actor_name")
    list_filter = ("space",)


@admin.register(Embedder, WorkerHeartbeat)
class RegistryAdmin(ReadOnlyAdmin):
    pass
