"""Pages of jobs that have no page of their own: progress, cancel and resume.

The pages that start such a job include templates/memory/jobs/_job.html, which polls here.
"""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounts.authentication import Access
from accounts.pages import PageRequest, space_page
from foundation.errors import Conflict
from memory.jobs import services as jobs
from memory.jobs.kinds import LABELS
from memory.models import Job


@require_GET
@space_page("read")
def job(request: PageRequest, access: Access, job_id: UUID) -> HttpResponse:
    """Show a job's progress; for htmx, as a part of the page that started it. That page is
    reloaded in the end if its numbers and lists are outdated then.
    """
    found = _known(access, job_id)
    response = show_job(request, found)
    if request.htmx and found.is_finished and LABELS[found.kind].refreshes_page:
        response["HX-Refresh"] = "true"
    return response


@require_POST
@space_page("admin")
def cancel(request: PageRequest, access: Access, job_id: UUID) -> HttpResponse:
    """Ask the job to stop at its next step."""
    _known(access, job_id)
    jobs.cancel(space=access.space, job_id=job_id, now=timezone.now())
    return show_job(request, _known(access, job_id))


@require_POST
@space_page("admin")
def resume(request: PageRequest, access: Access, job_id: UUID) -> HttpResponse:
    """Resume the job from where it stopped."""
    _known(access, job_id)
    try:
        jobs.resume(space=access.space, job_id=job_id, now=timezone.now())
    except Conflict:
        messages.error(request, _("This job is already running."))
    return show_job(request, _known(access, job_id))


def job_context(found: Job | None) -> dict[str, Any]:
    """Return the context of templates/memory/jobs/_job.html."""
    if found is None:
        return {"job": None}
    labels = LABELS[found.kind]
    return {
        "job": found,
        "job_name": labels.name,
        "job_percent": 100 * found.done // found.total if found.total else 0,
        "job_left": found.left(timezone.now()),
        "job_may_resume": not labels.needs_file or found.has_file,
        "job_counts": [(label, found.result.get(name, 0)) for name, label in labels.counts.items()],
    }


def _known(access: Access, job_id: UUID) -> Job:
    found = Job.objects.in_space(access.space).filter(pk=job_id, kind__in=LABELS).first()
    if found is None:
        raise Http404
    return found


def show_job(request: PageRequest, found: Job | None) -> HttpResponse:
    """Render a job's progress: for htmx a part of a page, else a page."""
    template = "memory/jobs/_job.html" if request.htmx else "memory/jobs/job.html"
    return render(request, template, job_context(found))
