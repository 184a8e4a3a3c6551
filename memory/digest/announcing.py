"""The announcement of a week's digest: an event for webhooks."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.urls import reverse

from accounts.models import Space, WebhookEvent
from foundation.moments import in_zone, stored_zone
from memory.digest.digest import counts_by_user
from memory.digest.weeks import Week, week_of
from memory.webhooks.services import emit

_APART = timedelta(days=3)
"""Ends of weeks that are closer together are of one week, before and after a change of the space's
time zone.
"""


def announce_digests(*, now: datetime) -> None:
    """Announce the digest of last week in each open space, once. A week without changes is not
    announced."""
    rows = Space.objects.open().filter(_announced_before(now - _APART)).order_by("pk")
    for space in rows:
        week = week_of(in_zone(now, stored_zone(space.time_zone))).previous
        _announce(space, week, now)


def _announced_before(moment: datetime) -> Q:
    return Q(digested_until__isnull=True) | Q(digested_until__lt=moment)


@transaction.atomic
def _announce(space: Space, week: Week, now: datetime) -> None:
    """Write the messages to webhooks, one for each user with changes, unless another worker has
    announced the week."""
    mine = Space.objects.filter(_announced_before(week.ends_at - _APART), pk=space.pk)
    if not mine.update(digested_until=week.ends_at):
        return
    for user_id, counts in counts_by_user(space, week).items():
        data = {
            "week": week.name,
            "begins_at": week.begins_at.isoformat(),
            "ends_at": week.ends_at.isoformat(),
            **{section.value: n for section, n in counts.items()},
            "url": _page(space, week),
        }
        emit(
            space_id=space.pk,
            event=WebhookEvent.DIGEST_READY,
            data=data,
            now=now,
            user_id=user_id,
        )


def _page(space: Space, week: Week) -> str:
    return f"{settings.EBB_URL}{reverse('digest', args=[space.slug])}?week={week.name}"
