"""Actions of the models page: add, change, delete and test connections, and choose models.

Operators manage connections. An owner of a space chooses among them for the space.
"""

import asyncio
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounts import roles
from accounts.authentication import Access
from accounts.forms import SentText, uuid_in
from accounts.models import Space
from accounts.pages import PageRequest, space_page
from assessor.llm import ModelError
from chat.connections.connection_trials import configuration_of, listed_names, tested
from chat.connections.form import asked_fields, error_texts, new_form, wrong_form
from chat.connections.local_servers import found_servers, local_addresses
from chat.connections.page import MOVE, connection_context, models_page
from foundation.database.connections import release_connection
from foundation.errors import Conflict, InvalidArguments
from memory.embeddings import EmbeddingError
from memory.embeddings.embedders import choose_for_new_spaces
from memory.model_connections import services
from memory.model_connections.embedding import PREFIX
from memory.model_connections.fields import LONGEST
from memory.model_connections.presets import PRESETS
from memory.models import ModelConnection, Purpose


@require_GET
@space_page("read")
def form(request: PageRequest, access: Access) -> HttpResponse:
    """Render the form of a new connection with the values of a preset."""
    _require_operator(request)
    context: dict[str, Any] = {"form": new_form(request.GET.get("preset", ""))}
    if request.htmx:
        context |= connection_context(request, access)
        return render(request, "chat/_connection_form.html", context)
    return models_page(request, access, **context)


@require_GET
@space_page("read")
def found(request: PageRequest, access: Access) -> HttpResponse:
    """Render the model servers of this machine, for a page that loads them after itself."""
    _require_operator(request)
    addresses = local_addresses()
    release_connection()
    context = {"found": found_servers(addresses), "space": access.space}
    return render(request, "chat/_found.html", context)


@require_POST
@space_page("read")
def connect(request: PageRequest, access: Access) -> HttpResponse:
    """Connect a server that was found, and show its test, which begins when the page has loaded."""
    _require_operator(request)
    base_url, preset = request.POST.get("base_url", ""), PRESETS.get(request.POST.get("preset", ""))
    if base_url not in local_addresses() or preset is None:
        messages.error(request, _("This server is already connected, or the search is turned off."))
        return redirect("models", access.space.slug)
    model = SentText(LONGEST["model"] + 1).clean(request.POST.get("model"))
    try:
        connection = services.connect_model(
            model=model,
            change=_change(access),
            name=preset.label,
            preset=preset.name,
            base_url=base_url,
        )
    except InvalidArguments as error:
        messages.error(request, error_texts(error))
        return redirect("models", access.space.slug)
    messages.success(request, _("Connection added: %(name)s") % {"name": connection.name})
    asked = urlencode({"tries": str(connection.pk), "model": model})
    return redirect(f"{reverse('models', args=[access.space.slug])}?{asked}")


@require_POST
@space_page("read")
def add(request: PageRequest, access: Access) -> HttpResponse:
    """Add a connection and show its models; show the form again if a field is wrong."""
    _require_operator(request)
    try:
        fields = asked_fields(request.POST)
        connection = services.add_connection(change=_change(access), **fields)
    except InvalidArguments as error:
        return models_page(request, access, status=422, form=wrong_form(request.POST, error))
    messages.success(request, _("Connection added: %(name)s") % {"name": connection.name})
    return redirect(f"{reverse('models', args=[access.space.slug])}?added={connection.pk}")


@require_POST
@space_page("read")
def change(request: PageRequest, access: Access, connection_id: UUID) -> HttpResponse:
    """Change a connection; an empty key keeps the stored one."""
    _require_operator(request)
    try:
        fields = asked_fields(request.POST)
        if not fields["key"] and request.POST.get("no_key") != "yes":
            del fields["key"]
        services.change_connection(connection_id=connection_id, change=_change(access), **fields)
    except InvalidArguments as error:
        wrong = wrong_form(request.POST, error)
        return models_page(request, access, status=422, changing=connection_id, change_form=wrong)
    messages.success(request, _("Connection saved."))
    return redirect("models", access.space.slug)


@require_POST
@space_page("read")
def delete(request: PageRequest, access: Access, connection_id: UUID) -> HttpResponse:
    """Delete a connection with its choices, unless a space embeds by it."""
    _require_operator(request)
    try:
        services.delete_connection(connection_id=connection_id, change=_change(access))
    except Conflict as error:
        messages.error(request, _(str(error)))
    else:
        messages.success(request, _("Connection deleted."))
    return redirect("models", access.space.slug)


@require_POST
@space_page("read")
def try_out(request: PageRequest, access: Access, connection_id: UUID) -> HttpResponse:
    """Test a connection with real requests and record whether it works."""
    _require_operator(request)
    connection = get_object_or_404(ModelConnection, pk=connection_id)
    try:
        trial = tested(connection, SentText(120).clean(request.POST.get("model")))
    except InvalidArguments as error:
        said = error_texts(error)
        return _card(request, access, connection, tested=connection.pk, listing_error=said)
    return _card(request, access, connection, tested=connection.pk, connection_trial=trial)


@require_POST
@space_page("read")
def names(request: PageRequest, access: Access, connection_id: UUID) -> HttpResponse:
    """Render the models that the endpoint lists, with a form to choose one."""
    if not connection_context(request, access)["may_choose"]:
        raise PermissionDenied(
            _("Only owners of the space and operators can choose models. Ask one of them.")
        )
    connection = get_object_or_404(ModelConnection, pk=connection_id)
    configuration = configuration_of(connection)
    release_connection()
    more: dict[str, Any] = {"listed": connection.pk}
    try:
        more["names"] = asyncio.run(listed_names(configuration))
    except ModelError as error:
        more["names"], more["listing_error"] = [], _(error.sentence)
    return _card(request, access, connection, **more)


@require_POST
@space_page("read")
def choose(request: PageRequest, access: Access) -> HttpResponse:
    """Choose a connection's model for a purpose, in this space or in all."""
    connection_id = uuid_in(request.POST.get("connection"))
    model = SentText(LONGEST["model"] + 1).clean(request.POST.get("model"))
    if request.POST.get("purpose") == MOVE:  # the page Embeddings tests the model first
        asked = urlencode({"provider": f"{PREFIX}{connection_id}", "model": model})
        return redirect(f"{reverse('embeddings', args=[access.space.slug])}?{asked}")
    try:
        _choose(request, access, connection_id, model)
    except (InvalidArguments, EmbeddingError) as error:
        said = error_texts(error) if isinstance(error, InvalidArguments) else str(error)
        more = {"listed": connection_id, "listing_error": said}
        return models_page(request, access, status=422, **more)
    messages.success(request, _("Model chosen."))
    return redirect("models", access.space.slug)


def _choose(request: PageRequest, access: Access, connection_id: UUID, model: str) -> None:
    """Choose the model; raises InvalidArguments, EmbeddingError, NotFound and PermissionDenied."""
    purpose, change = request.POST.get("purpose", ""), _change(access)
    if purpose == Purpose.EMBED:
        _require_operator(request)
        choose_for_new_spaces(connection_id=connection_id, model=model, change=change)
        return
    services.choose_model(
        purpose=purpose,
        space=_space_of_choice(request, access),
        connection_id=connection_id,
        model=model,
        change=change,
    )


@require_POST
@space_page("read")
def unchoose(request: PageRequest, access: Access) -> HttpResponse:
    """Remove the choice of this space or of all spaces."""
    space = _space_of_choice(request, access)
    services.remove_choice(
        purpose=request.POST.get("purpose", ""), space=space, change=_change(access)
    )
    messages.success(request, _("Choice removed."))
    return redirect("models", access.space.slug)


def _card(
    request: PageRequest, access: Access, connection: ModelConnection, **more: Any
) -> HttpResponse:
    if not request.htmx:
        return models_page(request, access, **more)
    context = connection_context(request, access) | {"connection": connection} | more
    return render(request, "chat/_connection.html", context)


def _change(access: Access) -> services.Change:
    return services.Change(access.actor, timezone.now())


def _space_of_choice(request: PageRequest, access: Access) -> Space | None:
    """Return the space of a choice, None for the whole installation; raises PermissionDenied."""
    if request.POST.get("where") == "all":
        _require_operator(request)
        return None
    if "admin" not in access.scopes:
        raise PermissionDenied(
            _("Only owners of the space can choose its models. Ask one of them.")
        )
    return access.space


def _require_operator(request: PageRequest) -> None:
    if not roles.may_operate(request.user):
        raise PermissionDenied(_("Only operators can manage model connections. Ask one of them."))
