"""Mail to an invited person with their login link."""

import logging
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import send_mail
from django.utils.translation import gettext as _

from memory.models import Space, User

logger = logging.getLogger(__name__)


def mail_invitation(*, space: Space, user: User, link: str) -> bool | None:
    """Mail the link to the user and return true; false if the mail server refused.

    None without EMAIL_HOST or without an address: then the link is only shown.
    """
    if not (settings.EMAIL_HOST and user.email):
        return None
    subject = _("You are invited to %(space)s on Ebb") % {"space": space.name}
    lines = (
        _("Open this link to log in. It is valid for 24 hours and works once:"),
        link,
        "",
        _("Then set a password under Settings → Account."),
    )
    try:
        send_mail(" ".join(subject.split()), "\n".join(lines), None, [user.email])
    except (SMTPException, OSError) as error:
        logger.warning("The invitation of a member of %s was not sent: %s", space.slug, error)
        return False
    return True
