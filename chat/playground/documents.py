"""Pages: the form that remembers a document, and the job it starts."""

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from accounts.authentication import Access
from accounts.limits.rate_limits import CallKind, count_call
from accounts.pages import PageRequest, space_page
from assessor.documents.document_job import KIND, start_document
from assessor.documents.reading import MAX_BYTES, is_readable
from chat.playground.persons import user_here
from foundation.errors import Conflict, InvalidArguments
from memory.jobs.views import job_context
from memory.models import Job


@require_POST
@space_page("write")
def remember(request: PageRequest, access: Access) -> HttpResponse:
    """Start reading the document; render the job's progress, or a message about what is wrong with
    the file.
    """
    files = request.FILES.getlist("file")
    if wrong := _wrong(files):
        return _shown(request, access, wrong=wrong)
    now, file = access.here(timezone.now()), files[0]
    count_call(access, CallKind.ASSESS, now=now)
    try:
        start_document(
            space=access.space,
            name=file.name or "",
            chunks=file.chunks(),
            user_id=user_here(request, access),
            actor=access.actor,
            now=now,
        )
    except InvalidArguments:
        return _shown(request, access, wrong=_("The file is empty. Choose another one."))
    except Conflict:
        wrong = _("Another document is being read. Wait until it is done.")
        return _shown(request, access, wrong=wrong)
    return _shown(request, access)


def _wrong(files: "list[UploadedFile[bytes]]") -> str | Promise:
    """Return a message about what is wrong with the chosen files, or ""."""
    if len(files) != 1:
        return _("Choose one document.")
    [file] = files
    if not is_readable(file.name or ""):
        return _("Choose a text, Markdown or PDF file (.txt, .md, .pdf).")
    if (file.size or 0) > MAX_BYTES:
        return _("The file is larger than 10 MB. Split the document and try again.")
    return ""


def _shown(request: PageRequest, access: Access, *, wrong: str | Promise = "") -> HttpResponse:
    job = Job.objects.in_space(access.space).latest_of(KIND)
    return render(request, "chat/_document_job.html", job_context(job) | {"wrong": wrong})
