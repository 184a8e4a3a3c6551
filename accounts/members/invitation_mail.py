"""Mail to an invited person with the link to their invitation."""

import logging
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import send_mail
from django.utils.translation import gettext as _

from accounts.models import Invitation

logger = logging.getLogger(__name__)


def mail_invitation(*, invitation: Invitation, link: str) -> bool | None:
    """Mail the link to the invited address and return true; false if the mail server refused.

    None without EMAIL_HOST or for a name that is no address: then the link is shown.
    """
    if not (settings.EMAIL_HOST and "@" in invitation.name):
        return None
    space = invitation.space
    subject = _("You are invited to %(space)s on Ebb") % {"space": space.name}
    lines = (
        _("Open this link to accept or decline. It is valid for 7 days and works once:"),
        link,
    )
    try:
        send_mail(" ".join(subject.split()), "\n".join(lines), None, [invitation.name])
    except (SMTPException, OSError) as error:
        logger.warning("The invitation of a member of %s was not sent: %s", space.slug, error)
        return False
    return True
