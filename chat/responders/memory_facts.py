"""Facts that the built-in responder adds to a quoted memory, besides its age."""

from datetime import datetime

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from foundation.moments import beside
from memory.drafts import DOCUMENT
from memory.models import Memory


def facts_of(memory: Memory, now: datetime) -> list[str]:
    """Return until when a superseded memory was true, and the document it comes from, if any. `now`
    is in the person's zone."""
    facts = []
    if memory.valid_to is not None:
        end = date_format(beside(memory.valid_to, now), "DATE_FORMAT")
        facts.append(_("true until %(day)s") % {"day": end})
    if is_from_document(memory):
        facts.append(_("from the document %(name)s") % {"name": memory.metadata.get("document")})
    return facts


def is_from_document(memory: Memory) -> bool:
    """Return true if the memory comes from a document instead of the user."""
    return memory.source_role == DOCUMENT
