"""The report of a wrong memory from its page, for people who may not change it."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.authentication import Access
from accounts.forms import SentText
from accounts.pages import PageRequest, space_page
from foundation.errors import Conflict
from memory.models.reasons import MAX_QUOTED
from memory.review.reports import report_memory


@require_POST
@space_page("read")
def report(request: PageRequest, access: Access, memory_id: UUID) -> HttpResponse:
    """Send the memory to review, with the reader's name and words."""
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
        messages.warning(request, _("Someone changed this memory. Reload the page."))
    else:
        messages.success(request, _("Reported. An editor will decide."))
    return redirect("memory", access.space.slug, memory_id)
