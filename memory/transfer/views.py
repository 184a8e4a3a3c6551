"""The page "Export and import": a download, an upload, and the import's progress."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounts.authentication import Access
from accounts.forms import AddressForm
from accounts.limits.rate_limits import CallKind, count_call
from accounts.pages import PageRequest, space_page
from foundation.errors import Conflict, InvalidArguments, RateLimited
from memory.jobs import services as jobs
from memory.models import Job, JobState
from memory.transfer.conversations import MOST_EXCHANGES, SECTION
from memory.transfer.export import count_rows
from memory.transfer.fault_labels import fault_in_words
from memory.transfer.sections import section_of
from memory.transfer.stream import export_response
from memory.transfer.upload import IMPORT, confirm_import, start_import


class _ExchangesForm(AddressForm):
    exchanges = forms.IntegerField(
        min_value=1, max_value=100_000, required=False, initial=MOST_EXCHANGES
    )


@require_GET
@space_page("read")
def transfer(request: PageRequest, access: Access) -> HttpResponse:
    """Show the page, or the newest import's progress."""
    context = _last_import(access)
    if request.htmx:
        return render(request, "memory/transfer/_import.html", context)
    # Includes the header line and the end line.
    context["lines"] = count_rows(access.space, access.reader) + 2
    return render(request, "memory/transfer/transfer.html", context)


@require_GET
@space_page("admin")
def export(request: PageRequest, access: Access) -> HttpResponseBase:
    """Download the space's file."""
    now = timezone.now()
    count_call(access, CallKind.EXPORT, now=now)
    try:
        return export_response(access.space, access.reader, now=now)
    except RateLimited:
        messages.error(request, _("Two exports of this space are running. Wait for one to end."))
        return redirect("transfer", access.space.slug)


@require_POST
@space_page("admin")
def begin(request: PageRequest, access: Access) -> HttpResponse:
    """Store the uploaded file and start its import."""
    file = request.FILES.get("file")
    try:
        start_import(
            space=access.space,
            chunks=_chunks(file) if isinstance(file, UploadedFile) else [],
            on_error="abort" if request.POST.get("on_error") == "abort" else "skip",
            preview="preview" in request.POST,
            exchanges=_ExchangesForm.read(request.POST)["exchanges"],
            actor=access.actor,
            now=access.here(timezone.now()),
        )
    except InvalidArguments:
        messages.error(request, _("Choose a file that is not empty."))
    except Conflict:
        messages.error(request, _("An import is already running in this space."))
    return redirect("transfer", access.space.slug)


@require_POST
@space_page("admin")
def confirm(request: PageRequest, access: Access, job_id: UUID) -> HttpResponse:
    """Import the file that was previewed; with `keep_forever` its memories never expire."""
    try:
        confirm_import(
            space=access.space,
            job_id=job_id,
            keep_forever="keep_forever" in request.POST,
            actor=access.actor,
            now=timezone.now(),
        )
    except Conflict:
        messages.error(request, _("This file was imported or replaced. Choose it again."))
    return _shown(request, access)


@require_POST
@space_page("admin")
def cancel(request: PageRequest, access: Access, job_id: UUID) -> HttpResponse:
    """Cancel the import at its next step."""
    jobs.cancel(space=access.space, job_id=job_id, now=timezone.now())
    return _shown(request, access)


@require_POST
@space_page("admin")
def resume(request: PageRequest, access: Access, job_id: UUID) -> HttpResponse:
    """Resume a stopped import."""
    try:
        jobs.resume(space=access.space, job_id=job_id, now=timezone.now())
    except Conflict:
        messages.error(request, _("This job is already running."))
    return _shown(request, access)


def _shown(request: PageRequest, access: Access) -> HttpResponse:
    if request.htmx:
        return render(request, "memory/transfer/_import.html", _last_import(access))
    return redirect("transfer", access.space.slug)


def _chunks(file: "UploadedFile[bytes]") -> Iterator[bytes]:
    yield from file.chunks(2**20)


def _last_import(access: Access) -> dict[str, Any]:
    """Return the newest import as template context."""
    job = Job.objects.in_space(access.space).latest_of(IMPORT)
    if job is None:
        return {"job": None}
    wrong = job.result.get("wrong", [])
    return {
        "job": job,
        "percent": 100 * job.done // job.total if job.total else 0,
        "left": job.left(timezone.now()),
        "counts": [*_counts(job)],
        "forecast": _forecast(job),
        "assesses": job.state == JobState.DONE and SECTION in _kinds(job),
        "left_out": job.result.get("left_out", 0),
        "wrong": [one | {"reason": fault_in_words(one["reason"])} for one in wrong],
        "more_wrong": job.result.get("wrong_count", 0) - len(wrong),
        "keeps_policy": job.result.get("takes_policy") is False and "policy" in _kinds(job),
    }


def _forecast(job: Job) -> dict[str, Any] | None:
    """Return the forecast of a previewed import with its dates parsed, or None."""
    found: dict[str, Any] | None = job.result.get("forecast")
    if job.state != JobState.DONE or not found:
        return None
    expire = [one | {"by": parse_datetime(one["by"] or "")} for one in found["expire"]]
    return found | {"expire": [one for one in expire if one["count"]]}


def _kinds(job: Job) -> dict[str, dict[str, int]]:
    kinds: dict[str, dict[str, int]] = job.result.get("counts", {})
    return kinds


def _counts(job: Job) -> Iterator[dict[str, Any]]:
    for kind, counted in _kinds(job).items():
        section = section_of(kind)
        if section is not None:
            yield {"name": section.model._meta.verbose_name_plural, **counted}
