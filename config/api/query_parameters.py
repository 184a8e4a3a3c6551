"""Refuses query parameters that a call of the JSON API does not know, or that are given twice.

An ignored filter would return, or change, more than the caller asked for.
"""

from collections.abc import Iterable
from typing import Any, ClassVar

from django.http import HttpRequest
from ninja import NinjaAPI
from ninja.operation import Operation
from ninja.params.models import QueryModel
from ninja.router import BoundRouter

from accounts.authentication import SessionAccess
from foundation.errors import FieldError, InvalidArguments


class _KnownParameters(QueryModel):
    """The names of a call's query parameters. It is resolved like a call's own arguments, and adds
    none."""

    names: ClassVar[frozenset[str]]

    @classmethod
    def resolve(
        cls, request: HttpRequest, api: NinjaAPI, path_params: dict[str, Any]
    ) -> "_KnownParameters":
        """Check the request's parameters. Raises InvalidArguments."""
        errors = [
            FieldError(name, "may be given only once" if name in cls.names else cls._unknown())
            for name, values in request.GET.lists()
            if name not in cls.names or len(values) > 1
        ]
        if errors:
            raise InvalidArguments(*errors)
        return cls()

    @classmethod
    def _unknown(cls) -> str:
        known = ", ".join(sorted(cls.names)) or "none"
        return f"unknown query parameter; this call knows: {known}"


def refuse_unknown_parameters(routers: Iterable[BoundRouter]) -> None:
    """Let each operation of these routers refuse the parameters that it does not know."""
    for router in routers:
        for view in router.path_operations.values():
            for operation in view.operations:
                known = type("KnownParameters", (_KnownParameters,), {"names": _names(operation)})
                operation.models = [*operation.models, known]


def _names(operation: Operation) -> frozenset[str]:
    """Return the names of the operation's query parameters. A call in a space may name its user."""
    own = {
        name
        for model in operation.models
        if issubclass(model, QueryModel)
        for name in model.__ninja_flatten_map__
    }
    kinds = {type(callback) for callback in operation.auth_callbacks}
    return frozenset(own | {"user_id"} if SessionAccess in kinds else own)
