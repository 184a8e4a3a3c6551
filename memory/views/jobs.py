"""Pages: long work that has no page of its own, watched, stopped and taken up again.

The pages that begin it include templates/memory/_job.html, which asks here how far it is.
"""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from memory.authentication import Access
from memory.durations import about
from memory.errors import Conflict
from memory.jobs import WORDS
from memory.models import Job
from memory.pages import PageRequest, space_page
from memory.services import jobs, sweeping


@require_GET
@space_page("read")
def job(request: PageRequest, access: Access, job_id: UUID) -> HttpResponse:
    """How far it is; for htmx the piece of the page that began it. When a sweep has ended, the
    whole page: its numbers and lists were those of before."""
    found = _known(access, job_id)
    response = _shown(request, access, found)
    if request.htmx and found.is_finished and found.kind == sweeping.KIND:
        response["HX-Refresh"] = "true"
    return response


@require_POST
@space_page("admin")
def cancel(request: PageRequest, access: Access, job_id: UUID) -> HttpResponse:
    """Has it stop at its next step."""
    _known(access, job_id)
    jobs.cancel(space=access.space, job_id=job_id, now=timezone.now())
    return _shown(request, access, _known(access, job_id))


@require_POST
@space_page("admin")
def resume(request: PageRequest, access: Access, job_id: UUID) -> HttpResponse:
    """Has it go on from where it stopped."""
    _known(access, job_id)
    try:
        jobs.resume(space=access.space, job_id=job_id, now=timezone.now())
    except Conflict:
        messages.error(request, _("It goes on already."))
    return _shown(request, access, _known(access, job_id))


@require_POST
@space_page("admin")
def sweep(request: PageRequest, access: Access) -> HttpResponse:
    """Begins a sweep; where one is under way, that one is shown."""
    try:
        sweeping.start_sweep(space=access.space, actor=access.actor, now=timezone.now())
    except Conflict:
        messages.error(request, _("A sweep is under way already."))
    begun = sweeping.latest_sweep(access.space)
    if begun is None:
        raise Http404
    return _shown(request, access, begun)


def job_context(access: Access, found: Job | None) -> dict[str, Any]:
    """What templates/memory/_job.html takes."""
    if found is None:
        return {"job": None}
    words, left = WORDS[found.kind], found.left(timezone.now())
    return {
        "job": found,
        "job_name": words.name,
        "job_percent": 100 * found.done // found.total if found.total else 0,
        "job_left": about(left) if left else "",
        "job_counts": [(label, found.result.get(name, 0)) for name, label in words.counts.items()],
        "may_steer": "admin" in access.scopes,
    }


def _known(access: Access, job_id: UUID) -> Job:
    found = Job.objects.in_space(access.space).filter(pk=job_id, kind__in=WORDS).first()
    if found is None:
        raise Http404
    return found


def _shown(request: PageRequest, access: Access, found: Job) -> HttpResponse:
    template = "memory/_job.html" if request.htmx else "memory/job.html"
    return render(request, template, job_context(access, found))
