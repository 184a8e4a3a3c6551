"""The page of a space's embedding model: the current model and the switch to another one."""

from contextlib import suppress
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from accounts.authentication import Access
from accounts.forms import SentText
from accounts.models import Space
from accounts.pages import PageRequest, space_page
from foundation.database.connections import release_connection
from foundation.errors import Conflict, NotFound
from memory.embeddings import (
    BUILT_IN,
    PROVIDERS,
    EmbeddingError,
    is_configured,
    likely_embedders,
    listed_models,
    provider_name,
    switching,
)
from memory.model_connections.embedding import model_of_new_spaces, provider_of
from memory.models import JobState, Memory, ModelConnection

MAX_MODEL = 120  # characters


@require_GET
@space_page("read")
def embeddings(request: PageRequest, access: Access) -> HttpResponse:
    """Show the current model, the progress of a switch, and the form to start one."""
    return _shown(request, access)


@require_POST
@space_page("admin")
def try_model(request: PageRequest, access: Access) -> HttpResponse:
    """Embed a few memories by a model; show the time needed and a button to begin."""
    provider, model = _asked(request)
    try:
        trial = switching.try_embedder(space=access.space, provider=provider, model=model)
    except EmbeddingError as error:
        return _shown(request, access, error=_refusal(error, provider, model))
    return _shown(request, access, trial=trial)


@require_POST
@space_page("admin")
def begin(request: PageRequest, access: Access) -> HttpResponse:
    """Start the switch to a model that was tried."""
    provider, model = _asked(request)
    try:
        trial = switching.try_embedder(space=access.space, provider=provider, model=model)
        switching.start_switch(
            space=access.space, embedder=trial.embedder, actor=access.actor, now=timezone.now()
        )
    except EmbeddingError as error:
        return _shown(request, access, error=_refusal(error, provider, model))
    except Conflict as error:
        return _shown(request, access, error=gettext(str(error)))
    return _done(request, access)


@require_GET
@space_page("admin")
def models(request: PageRequest, access: Access) -> HttpResponse:
    """Render the names of a provider's embedding models, as suggestions for the form."""
    release_connection()
    with suppress(EmbeddingError):  # a suggestion only; Test shows the error
        names = listed_models(request.GET.get("provider", ""))
        likely = likely_embedders(names) or names
        return render(request, "memory/embeddings/_models.html", {"names": likely})
    return render(request, "memory/embeddings/_models.html", {"names": []})


@require_POST
@space_page("admin")
def cancel(request: PageRequest, access: Access) -> HttpResponse:
    """Cancel the switch; if it has just ended, show its state."""
    try:
        switching.cancel_switch(space=access.space, now=timezone.now())
    except NotFound as error:
        return _shown(request, access, error=gettext(str(error)))
    return _done(request, access)


@require_POST
@space_page("admin")
def resume(request: PageRequest, access: Access) -> HttpResponse:
    """Resume a switch that failed or was cancelled."""
    try:
        switching.resume_switch(space=access.space, now=timezone.now())
    except (NotFound, Conflict) as error:
        return _shown(request, access, error=gettext(str(error)))
    return _done(request, access)


def _asked(request: PageRequest) -> tuple[str, str]:
    """Return the provider and model of the sent form, or of a link from the models page."""
    sent = request.POST or request.GET
    return sent.get("provider", ""), SentText(MAX_MODEL).clean(sent.get("model"))


def _refusal(error: EmbeddingError, provider: str, model: str) -> str:
    """Return why a model cannot be used; the names of built-in ones in the reader's language."""
    if provider == "local" and model not in BUILT_IN:
        return gettext("The built-in models are {names}.").format(names=", ".join(BUILT_IN))
    return gettext(str(error))


def _done(request: PageRequest, access: Access) -> HttpResponse:
    if request.htmx:
        return _shown(request, access)
    return redirect("embeddings", access.space.slug)


def _shown(request: PageRequest, access: Access, **more: Any) -> HttpResponse:
    space = Space.objects.select_related("embedder", "next_embedder").get(pk=access.space.pk)
    job = switching.latest_switch(space)
    provider, model = _asked(request)
    if not model:
        provider, model = _proposed(space)
    context = {
        "embedder": space.embedder,
        "coming": space.next_embedder,
        "memories": Memory.objects.in_space(space).count(),
        "provider_name": provider_name(space.embedder.provider),
        "job": job,
        "moving": job is not None and not job.is_finished,
        "stopped": job is not None and job.state in {JobState.FAILED, JobState.CANCELLED},
        "left": job.left(timezone.now()) if job else None,
        "providers": _providers(),
        "names": list(BUILT_IN),
        "provider": provider,
        "model": model,
        **more,
    }
    template = (
        "memory/embeddings/_embedder.html" if request.htmx else "memory/embeddings/embeddings.html"
    )
    return render(request, template, context)


def _providers() -> list[tuple[str, Any, bool]]:
    """Return the name in rows, the display name, and whether it can be used, of each provider and
    model connection."""
    known = [(key, name, is_configured(key)) for key, name in PROVIDERS.items()]
    connections = ModelConnection.objects.all()
    return known + [(provider_of(one), one.name, True) for one in connections]


def _proposed(space: Space) -> tuple[str, str]:
    """Return the provider and model of new spaces, or empty strings if the space uses them."""
    of_new = model_of_new_spaces()
    has = (space.embedder.provider, space.embedder.model)
    return of_new if of_new != has else ("", "")
