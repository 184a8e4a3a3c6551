"""The announcement of a week's digest: an event for webhooks and, where it is switched on, a
mail."""

import logging
from collections import Counter
from datetime import datetime, timedelta
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext as _

from memory.access.members import addresses_of_owners
from memory.digest.digest import Counts, counts_by_user
from memory.digest.sections import Section
from memory.digest.weeks import Week, week_of
from memory.models import Space, WebhookEvent
from memory.moments import in_zone, stored_zone
from memory.webhooks.services import emit

logger = logging.getLogger(__name__)

_APART = timedelta(days=3)
"""Ends of weeks that are closer together are of one week, before and after a change of the space's
time zone.
"""


def announce_digests(*, now: datetime) -> None:
    """Announce the digest of last week in each open space, once. A week without changes is not
    announced.

    A mail server that does not answer is logged, and its mail is not repeated.
    """
    rows = Space.objects.open().filter(_announced_before(now - _APART)).order_by("pk")
    for space in rows:
        week = week_of(in_zone(now, stored_zone(space.time_zone))).previous
        totals = _announce(space, week, now)
        if sum(totals.values()) and settings.EMAIL_HOST and settings.EBB_DIGEST_MAIL:
            _mail(space, week, totals)


def _announced_before(moment: datetime) -> Q:
    return Q(digested_until__isnull=True) | Q(digested_until__lt=moment)


@transaction.atomic
def _announce(space: Space, week: Week, now: datetime) -> Counts:
    """Write the messages to webhooks, one for each user with changes. Return the number of lines of
    each section; none if another worker has announced the week."""
    mine = Space.objects.filter(_announced_before(week.ends_at - _APART), pk=space.pk)
    if not mine.update(digested_until=week.ends_at):
        return {}
    totals: Counter[Section] = Counter()
    for user_id, counts in counts_by_user(space, week).items():
        totals.update(counts)
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
    return totals


def _mail(space: Space, week: Week, totals: Counts) -> None:
    """Send the numbers and a link to the owners; the texts of memories are not sent."""
    addresses = addresses_of_owners(space)
    if not addresses:
        return
    subject = _("Ebb: %(space)s, week %(week)s") % {"space": space.name, "week": week.name}
    lines = [f"{section.label}: {totals[section]}" for section in Section]
    text = "\n".join([*lines, "", _page(space, week)])
    try:
        send_mail(" ".join(subject.split()), text, None, addresses)
    except (SMTPException, OSError) as error:
        logger.warning("No digest was sent to the owners of %s: %s", space.slug, error)


def _page(space: Space, week: Week) -> str:
    return f"{settings.EBB_URL}{reverse('digest', args=[space.slug])}?week={week.name}"
