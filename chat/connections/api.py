"""JSON API of model connections, for an installation key or an operator's session."""

from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Router, Status

from accounts.authentication import BearerKey, OperatorSession, operator_of
from assessor.statistics.connection_figures import ConnectionFigures, connection_figures
from chat.connections.connection_trials import tested
from foundation.errors import NotFound
from foundation.http.pagination import keyset
from foundation.http.requests import PageIn, RowId, may_fail, parse_uuid
from memory.model_connections import services
from memory.model_connections.schemas import (
    ConnectionChangeIn,
    ConnectionIn,
    ConnectionList,
    ConnectionOut,
    ConnectionTestIn,
    ConnectionTestOut,
)
from memory.models import ModelConnection

router = Router(tags=["connections"], auth=[BearerKey(), OperatorSession()])

AS_USUAL = ConnectionTestIn()  # the default body of a test


@router.get(
    "connections",
    response=ConnectionList,
    url_name="connections_list",
    operation_id="listConnections",
)
def list_connections(request: HttpRequest, asked: Query[PageIn]) -> ConnectionList:
    """List the connections of the installation, newest first. Needs an installation key."""
    operator_of(request)
    rows = ModelConnection.objects.all()
    found, following = keyset("-created_at").page(rows, limit=asked.limit, cursor=asked.cursor)
    figures = connection_figures(space=None, now=timezone.now())
    items = [ConnectionOut.of(one, figures.get(one.pk, ConnectionFigures())) for one in found]
    return ConnectionList(items=items, next=following)


@router.post(
    "connections",
    response={201: ConnectionOut},
    url_name="connections_create",
    operation_id="createConnection",
)
def create_connection(request: HttpRequest, asked: ConnectionIn) -> Status[ConnectionOut]:
    """Add a connection. No response contains its key. Needs an installation key."""
    change = services.Change(operator_of(request), timezone.now())
    connection = services.add_connection(change=change, **asked.model_dump())
    return Status(201, ConnectionOut.of(connection, ConnectionFigures()))


@router.get(
    "connections/{id}",
    response=ConnectionOut,
    url_name="connections_get",
    operation_id="getConnection",
)
def get_connection(request: HttpRequest, id: RowId) -> ConnectionOut:
    """Return a connection, without its key. Needs an installation key."""
    operator_of(request)
    return _shown(_one(id))


@router.patch(
    "connections/{id}",
    response=ConnectionOut,
    url_name="connections_change",
    operation_id="changeConnection",
)
def change_connection(request: HttpRequest, id: RowId, asked: ConnectionChangeIn) -> ConnectionOut:
    """Change a connection, at once for all processes. If the address changes to another server,
    send the key again. Needs an installation key.
    """
    change = services.Change(operator_of(request), timezone.now())
    fields = asked.model_dump(exclude_unset=True)
    connection = services.change_connection(connection_id=parse_uuid(id), change=change, **fields)
    return _shown(connection)


@router.delete(
    "connections/{id}",
    response={204: None},
    url_name="connections_delete",
    operation_id="deleteConnection",
    openapi_extra=may_fail(409),
)
def delete_connection(request: HttpRequest, id: RowId) -> Status[None]:
    """Delete a connection. Purposes that used it fall back to the next choice or to the built-in
    model. Needs an installation key."""
    change = services.Change(operator_of(request), timezone.now())
    services.delete_connection(connection_id=parse_uuid(id), change=change)
    return Status(204, None)


@router.post(
    "connections/{id}/test",
    response=ConnectionTestOut,
    url_name="connections_test",
    operation_id="testConnection",
)
def try_connection(
    request: HttpRequest, id: RowId, asked: ConnectionTestIn = AS_USUAL
) -> ConnectionTestOut:
    """Test with real requests whether a connection is reachable, accepts its key, streams, calls
    tools and gives structured answers. Takes up to two minutes. Needs an installation key.
    """
    operator_of(request)
    trial = tested(_one(id), asked.model)
    checks = [vars(check) for check in trial.checks]
    return ConnectionTestOut.model_validate(
        {
            "works": bool(trial.checks) and not trial.failure,
            "model": trial.model,
            "models": trial.names,
            "checks": checks,
        }
    )


def _one(reference: str) -> ModelConnection:
    connection = ModelConnection.objects.filter(pk=parse_uuid(reference)).first()
    if connection is None:
        raise NotFound("Model connection not found.")
    return connection


def _shown(connection: ModelConnection) -> ConnectionOut:
    figures = connection_figures(space=None, now=timezone.now())
    return ConnectionOut.of(connection, figures.get(connection.pk, ConnectionFigures()))
