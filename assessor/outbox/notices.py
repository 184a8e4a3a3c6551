"""Mails the owners of a space about everything that began to wait for a person in the last hour."""

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import send_mail
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.members.services import addresses_of_owners
from accounts.models import Space
from assessor.models import Assessment, State
from memory.model_connections.failures import failing_connections
from memory.models import Memory, MemoryEvent
from memory.models.history import Action

EVERY = timedelta(hours=1)
logger = logging.getLogger(__name__)


def mail_owners(*, now: datetime) -> None:
    """Send one mail for each space with news to its owners who have an address.

    Without EMAIL_HOST nothing is sent. If the mail server does not answer, the failure is logged
    and the mail is not repeated, because the pages show the same.
    """
    if not settings.EMAIL_HOST:
        return
    for space in Space.objects.open().select_related("embedder").iterator():
        addresses = addresses_of_owners(space)
        lines = list(_news(space, since=now - EVERY)) if addresses else []
        if not lines:
            continue
        page = settings.EBB_URL + reverse("overview", args=[space.slug])
        subject = _("Ebb: %(space)s needs attention") % {"space": space.name}
        try:
            send_mail(" ".join(subject.split()), "\n".join([*lines, "", page]), None, addresses)
        except (SMTPException, OSError) as error:
            logger.warning("No mail was sent to the owners of %s: %s", space.slug, error)


def _news(space: Space, *, since: datetime) -> Iterator[str]:
    """Yield a sentence for each item that began to wait since then."""
    for connection in failing_connections(space):
        if connection.failing_since and connection.failing_since >= since:
            yield _("Connection down: %(name)s") % {"name": connection.name}
    failed = Assessment.objects.in_space(space).filter(state=State.FAILED, finished_at__gte=since)
    if count := failed.count():
        text = ngettext("%(n)d failed assessment", "%(n)d failed assessments", count)
        yield text % {"n": count}
    held = MemoryEvent.objects.in_space(space).filter(action=Action.HELD, at__gte=since)
    waiting = Memory.objects.in_space(space).in_review()
    if count := waiting.filter(pk__in=held.values("memory_id")).count():
        text = ngettext(
            "%(n)d memory waiting for review", "%(n)d memories waiting for review", count
        )
        yield text % {"n": count}
