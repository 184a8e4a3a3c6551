"""The start page of the admin: everything that waits for a moderator, in all spaces."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Count
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts import roles
from accounts.models import Space, User
from assessor.models import Assessment, State
from memory.models import Memory, PolicyVersion, Status
from memory.policy import stored_document

NEARLY_FULL = 0.9  # share of a space's capacity
SPACES = 50
"""The number of the largest spaces whose size is compared with the capacity."""


@dataclass(frozen=True)
class Waiting:
    """A line of the start page: a label, the number, and a link to the list."""

    label: str
    count: int
    url: str


def add_queue(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Return the start page's context with `queue` and `full_spaces` (unfold calls this)."""
    full = _full_spaces() if request.user.has_perm("accounts.view_space") else []
    return {**context, "queue": list(_queue(request)), "full_spaces": full}


def _queue(request: HttpRequest) -> Iterator[Waiting]:
    """Yield the lines that the user may open, the most urgent first."""
    if request.user.has_perm("memory.view_memory"):
        url = reverse("admin:memory_memory_changelist", query={"status__exact": Status.REVIEW})
        rows = Memory.objects.filter(status=Status.REVIEW)
        yield Waiting(_("Memories waiting for review"), rows.count(), url)
    if request.user.has_perm("assessor.view_assessment"):
        query = {"state__exact": State.FAILED}
        url = reverse("admin:assessor_assessment_changelist", query=query)
        failed = Assessment.objects.filter(state=State.FAILED).count()
        yield Waiting(_("Failed assessments"), failed, url)
    if roles.may_operate(request.user):
        url = reverse("admin:accounts_user_changelist", query={"is_active__exact": "1"})
        yield Waiting(_("Active users"), User.objects.filter(is_active=True).count(), url)


def _full_spaces() -> list[tuple[Space, int]]:
    """Return the spaces with a user who has nearly used up the capacity, each with its
    percentage, the fullest first."""
    counted = Memory.objects.filter(status=Status.LIVE).order_by().values_list("space", "user_id")
    largest: dict[Any, int] = {}
    for space, _user, number in counted.annotate(number=Count("pk")).order_by("-number")[:SPACES]:
        largest.setdefault(space, number)
    newest = PolicyVersion.objects.filter(space__in=largest).order_by("space_id", "-version")
    shares = {
        version.space: largest[version.space_id] / stored_document(version.document).capacity
        for version in newest.distinct("space_id").select_related("space")
    }
    full = [(space, round(share * 100)) for space, share in shares.items() if share >= NEARLY_FULL]
    return sorted(full, key=lambda one: -one[1])
