"""The spaces page: the user's spaces, forms to create and change one, and spaces being deleted."""

from contextlib import suppress
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_POST

from accounts.authentication import Access
from accounts.forms import SentText
from accounts.models import Invitation, Membership, Space
from accounts.pages import PageRequest, space_page
from foundation.errors import Conflict, InvalidArguments
from foundation.moments import zones_of_places
from memory.embeddings import EmbeddingError
from memory.embeddings.embedders import configured_embedder
from memory.models import Memory
from memory.models.policies import current_policy
from memory.policies.languages import LANGUAGES
from memory.policies.services import change_policy
from memory.spaces import deletion, services

SHOWN = 200
SHOWN_LEAVING = 5
_SENTENCES = {
    "name": gettext_lazy("Enter a name of 1 to 120 characters."),
    "language": gettext_lazy("Choose one of the languages."),
    "time_zone": gettext_lazy("Choose one of the time zones."),
}


@require_GET
@space_page("read")
def spaces(request: PageRequest, access: Access) -> HttpResponse:
    """Show the user's spaces; an owner may create others and change this one."""
    return _shown(request, access)


@require_POST
@space_page("admin")
def create(request: PageRequest, access: Access) -> HttpResponse:
    """Create a space owned by the current user and redirect to it."""
    name, slug = _asked(request, "name"), _asked(request, "slug")
    try:
        space = services.create_space(
            slug=slug or slugify(name)[: services.MAX_SLUG] or "space",
            name=name,
            language=_asked(request, "language") or settings.LANGUAGE_CODE[:2],
            embedder=configured_embedder(),
            actor=access.actor,
            owner=request.user,
        )
    except InvalidArguments as error:
        return _shown(request, access, create_error=_sentence(error), asked=request.POST)
    except EmbeddingError as error:
        return _shown(request, access, create_error=str(error), asked=request.POST)
    messages.success(request, _("Space %(name)s created.") % {"name": space.name})
    return redirect("spaces", space.slug)


@require_POST
@space_page("admin")
def change(request: PageRequest, access: Access) -> HttpResponse:
    """Change name, language and time zone of the space, all or none."""
    now, actor = timezone.now(), access.actor
    try:
        with transaction.atomic():
            services.rename_space(
                space=access.space, name=_asked(request, "name"), actor=actor, now=now
            )
            services.change_zone(
                space=access.space, name=_asked(request, "time_zone"), actor=actor, now=now
            )
            change_policy(
                space=access.space,
                changes={"language": _asked(request, "language")},
                actor=actor,
                now=now,
            )
    except InvalidArguments as error:
        return _shown(request, access, change_error=_sentence(error), asked=request.POST)
    messages.success(request, _("Saved."))
    return redirect("spaces", access.space.slug)


@require_POST
@space_page("admin")
def delete(request: PageRequest, access: Access) -> HttpResponse:
    """Close this space for deletion if its short name was typed and the user has another space.
    Redirect to the other space, which shows the progress."""
    if _asked(request, "confirm") != access.space.slug:
        sentence = _("Nothing was deleted: the short name you typed does not match.")
        return _shown(request, access, delete_error=sentence)
    others = Space.objects.of_member(request.user).exclude(pk=access.space.pk)
    other = others.order_by("memberships__pk").first()
    if other is None:
        sentence = _("Nothing was deleted: this is your only space. Create another one first.")
        return _shown(request, access, delete_error=sentence)
    with suppress(Conflict):  # closed by someone else in the meantime
        deletion.close_space(space=access.space, actor=access.actor, now=timezone.now())
    messages.success(
        request, _("Space %(name)s will be deleted in 10 minutes.") % {"name": access.space.name}
    )
    return redirect("spaces", other.slug)


@require_GET
@space_page("read")
def leaving(request: PageRequest, access: Access) -> HttpResponse:
    """Show the progress of the deletions of the user's spaces."""
    return render(request, "memory/spaces/_closed_spaces.html", _leaving(request))


@require_POST
@space_page("read")
def bring_back(request: PageRequest, access: Access) -> HttpResponse:
    """Reopen a space of which no row is deleted yet."""
    rows = Space.objects.leaving(request.user)
    space = get_object_or_404(rows, slug=_asked(request, "space"))
    try:
        deletion.reopen_space(space=space, actor=access.actor, now=timezone.now())
    except Conflict:
        messages.error(request, _("Part of the space is already deleted, so it can't be restored."))
    else:
        messages.success(request, _("The space %(name)s was restored.") % {"name": space.name})
    return redirect("spaces", access.space.slug)


def _asked(request: PageRequest, name: str) -> str:
    return SentText().clean(request.POST.get(name))


def _sentence(error: InvalidArguments) -> str:
    [first, *_others] = error.errors
    if first.field == "slug":
        if first.message == services.TAKEN:
            return _("This short name is taken. Choose another one.")
        return _("Use Latin letters, digits, - and _, at most 60 characters.")
    return str(_SENTENCES.get(first.field, first.message))


def _leaving(request: PageRequest) -> dict[str, Any]:
    """Return the context of templates/memory/spaces/_closed_spaces.html."""
    now, rows = timezone.now(), Space.objects.leaving(request.user)
    found = [(space, deletion.deletion(space)) for space in rows[:SHOWN_LEAVING]]
    return {
        "leaving": [
            {
                "space": space,
                "goes_at": max(now, space.closed_at + deletion.GRACE),
                "job": job if job and job.done else None,
                "left": job.left(now) if job else None,
            }
            for space, job in found
            if space.closed_at is not None
        ]
    }


def _shown(request: PageRequest, access: Access, **more: Any) -> HttpResponse:
    own = Membership.objects.filter(user=request.user.pk, space__closed_at=None)
    context = {
        "invitations": Invitation.objects.to_user(request.user, timezone.now()),
        "memberships": own.select_related("space").order_by("space__name", "pk")[:SHOWN],
        "language": current_policy(access.space).document.language,
        "languages": LANGUAGES,
        "zones": zones_of_places(),
        "memories": Memory.objects.in_space(access.space).readable_by(access.reader).count(),
        **_leaving(request),
        **more,
    }
    return render(request, "memory/spaces/spaces.html", context)
