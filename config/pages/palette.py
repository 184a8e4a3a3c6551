"""The command palette (Ctrl K) and the search of the space switcher."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET

from accounts.authentication import Access
from accounts.forms import SentText
from accounts.models import Space
from accounts.pages import PageRequest, space_page
from accounts.views.settings import PAGES as SETTINGS
from chat.models import Conversation
from config.pages.navigation import DAILY, MORE, SPACES_LISTED
from foundation.http.pagination import keyset
from foundation.texts.forms import folded
from memory.models import Memory
from memory.models.memories import MemoryQuerySet

MAX_QUERY = 100  # characters
SHOWN = 5  # results of each kind that the database finds
LOOKED_AT = 5000
"""Number of the newest memories that are searched; the Memories page searches all of them."""
LONGEST = 120  # characters of a memory in a result

# (url name, label, icon, scope)
ACTIONS = (
    ("playground", gettext_lazy("New conversation"), "plus", "read"),
    ("private", gettext_lazy("Private conversation"), "private", "read"),
    ("memory_add", gettext_lazy("Add memory"), "plus", "write"),
    ("transfer", gettext_lazy("Export or import this space"), "transfer", "read"),
    ("keys", gettext_lazy("Create an API key"), "key", "admin"),
    ("members", gettext_lazy("Add a member"), "people", "admin"),
)
MORE_PAGES = (
    ("consolidation", gettext_lazy("Consolidation"), "review"),
    ("bin_history", gettext_lazy("History"), "clock"),
    ("lifetimes_capacity", gettext_lazy("Capacity"), "lifetimes"),
)


@dataclass(frozen=True)
class Entry:
    """A result: a link with its icon. `is_own` marks people's own texts."""

    url: str
    text: str
    icon: str
    is_own: bool = False


@dataclass(frozen=True)
class Section:
    """Results of one kind, under their heading."""

    title: str
    entries: Sequence[Entry]


@require_GET
@space_page("read")
def palette(request: PageRequest, access: Access) -> HttpResponse:
    """Render the results for `q`; without it, all pages, actions and recent conversations."""
    query = SentText(MAX_QUERY).clean(request.GET.get("q"))
    sections = [
        Section(_("Actions"), _matching(query, _actions(access))),
        Section(_("Pages"), _matching(query, _pages(access.space))),
        Section(_("Memories"), _memories(access, query) if query else []),
        Section(_("Conversations"), _conversations(access, query)),
        Section(_("Settings"), _matching(query, _settings(access))),
        Section(_("Spaces"), _spaces(request, access.space, query) if query else []),
    ]
    found = [section for section in sections if section.entries]
    return render(request, "_palette_found.html", {"sections": found, "q": query})


@require_GET
@space_page("read")
def spaces_found(request: PageRequest, access: Access) -> HttpResponse:
    """Render the entries of the space switcher for `q`."""
    found = _spaces_named(request, SentText(MAX_QUERY).clean(request.GET.get("q")))
    return render(request, "_spaces_found.html", {"found": found[:SPACES_LISTED]})


def _matching(query: str, entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries that contain each word of the query."""
    words = query.casefold().split()
    return [entry for entry in entries if all(word in entry.text.casefold() for word in words)]


def _actions(access: Access) -> list[Entry]:
    return [
        Entry(reverse(name, args=[access.space.slug]), str(label), icon)
        for name, label, icon, scope in ACTIONS
        if scope in access.scopes
    ]


def _pages(space: Space) -> list[Entry]:
    return [
        Entry(reverse(name, args=[space.slug]), str(label), icon)
        for name, label, icon in (*DAILY, *MORE, *MORE_PAGES)
    ]


def _settings(access: Access) -> list[Entry]:
    return [
        Entry(reverse(name, args=[access.space.slug]), f"{label}: {text}", icon)
        for name, icon, label, text, scope in SETTINGS
        if scope in access.scopes
    ]


def _memories(access: Access, query: str) -> list[Entry]:
    """Return the newest memories that contain the query, and a search of all."""
    slug = access.space.slug
    rows = Memory.objects.in_space(access.space).readable_by(access.reader).live()
    fitting = partial(MemoryQuerySet.saying, text=query)
    found = keyset("-created_at").searched(
        rows, fitting, limit=SHOWN, cursor=None, through=LOOKED_AT
    )
    entries = [
        Entry(reverse("memory", args=[slug, row.pk]), row.content[:LONGEST], "memories", True)
        for row in found.rows
    ]
    everything = reverse("memories", args=[slug], query={"q": query})
    return [*entries, Entry(everything, _("Search all memories by meaning"), "search")]


def _conversations(access: Access, query: str) -> list[Entry]:
    rows = Conversation.objects.in_space(access.space).readable_by(access.reader).saying(query)
    return [
        Entry(
            reverse("conversation", args=[access.space.slug, row.pk]),
            row.title or _("New conversation"),
            "chat",
            bool(row.title),
        )
        for row in rows.order_by("-updated_at", "-pk")[:SHOWN]
    ]


def _spaces(request: HttpRequest, current: Space, query: str) -> list[Entry]:
    others = [space for space in _spaces_named(request, query) if space != current]
    return [
        Entry(reverse("playground", args=[space.slug]), space.name, "list", True)
        for space in others[:SHOWN]
    ]


def _spaces_named(request: HttpRequest, query: str) -> Sequence[Space]:
    """Return the user's spaces whose name contains the query, up to one more than are listed."""
    rows = Space.objects.of_member(request.user).filter(name__folded__contains=folded(query))
    return list(rows.order_by("name", "pk")[: SPACES_LISTED + 1])
