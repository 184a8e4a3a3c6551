"""Pages: reporting a recalled memory as wrong, for people who may not change it."""

from uuid import UUID

from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.authentication import Access
from accounts.forms import SentText
from accounts.pages import PageRequest, space_page
from chat.refusals import refusal
from chat.why.views import drawn, listing
from foundation.errors import Conflict
from memory.models.reasons import MAX_QUOTED
from memory.review.reports import report_memory


@require_POST
@space_page("read")
def report(request: PageRequest, access: Access, message_id: UUID, memory_id: UUID) -> HttpResponse:
    """Send a memory of the reply's list to review, with the reader's name and words."""
    message = listing(access, message_id, memory_id)
    try:
        report_memory(
            space=access.space,
            reader=access.reader,
            memory_id=memory_id,
            what=SentText(MAX_QUOTED).clean(request.POST.get("what")),
            actor=access.actor,
            now=timezone.now(),
        )
    except Conflict:
        return refusal(request, _("Someone changed this memory. Reload the page."))
    return drawn(request, access, message, memory_id)
