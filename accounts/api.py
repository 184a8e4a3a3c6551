"""JSON API for a space's keys and its audit log; needs the scope `admin`."""

from collections.abc import Mapping
from dataclasses import fields
from datetime import timedelta
from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from ninja import Query, Router, Status

from accounts import roles
from accounts.authentication import Access, access_to
from accounts.keys import services as services
from accounts.models import ApiKey, AuditEntry
from accounts.schemas import AuditList, KeyChangeIn, KeyIn, KeyList, KeyOut, NewKeyOut, RotateIn
from foundation.errors import NotFound
from foundation.http.pagination import keyset
from foundation.http.requests import NumberedPageIn, RowId, may_fail, parse_uuid

router = Router(tags=["keys"])

AS_USUAL = RotateIn()  # the default body of a rotation


@router.get("keys", response=KeyList, url_name="keys_list", operation_id="listKeys")
def list_keys(request: HttpRequest, asked: Query[NumberedPageIn]) -> KeyList:
    """List the space's keys, newest first, including expired and revoked keys."""
    rows = ApiKey.objects.in_space(access_to(request, "admin").space)
    found, following = keyset("-created_at").page(rows, limit=asked.limit, cursor=asked.cursor)
    now = timezone.now()
    return KeyList(items=[KeyOut.of(key, now) for key in found], next=following)


@router.post("keys", response={201: NewKeyOut}, url_name="keys_create", operation_id="createKey")
def create_key(request: HttpRequest, asked: KeyIn) -> Status[NewKeyOut]:
    """Create a key. Only this response contains its secret."""
    access, now = access_to(request, "admin"), timezone.now()
    given = asked.model_dump()
    _check_grant(access, given)
    key, secret = services.create_key(space=access.space, actor=access.actor, now=now, **given)
    return Status(201, NewKeyOut.with_secret(key, secret, now))


@router.get("keys/{id}", response=KeyOut, url_name="keys_get", operation_id="getKey")
def get_key(request: HttpRequest, id: RowId) -> KeyOut:
    """Return one key, without its secret."""
    return KeyOut.of(_key(access_to(request, "admin"), id), timezone.now())


@router.patch(
    "keys/{id}",
    response=KeyOut,
    url_name="keys_change",
    operation_id="changeKey",
    openapi_extra=may_fail(409),
)
def change_key(request: HttpRequest, id: RowId, asked: KeyChangeIn) -> KeyOut:
    """Change a key's name, expiry, rate limit or learning.

    To change its scopes, create another key.
    """
    access, now = access_to(request, "admin"), timezone.now()
    key, changes = _key(access, id), asked.model_dump(exclude_unset=True)
    _check_grant(access, vars(key) | changes)
    key = services.change_key(
        space=access.space,
        key_id=key.public_id,
        changes=changes,
        actor=access.actor,
        now=now,
    )
    return KeyOut.of(key, now)


@router.post(
    "keys/{id}/rotate",
    response=NewKeyOut,
    url_name="keys_rotate",
    operation_id="rotateKey",
    openapi_extra=may_fail(409),
)
def rotate_key(request: HttpRequest, id: RowId, asked: RotateIn = AS_USUAL) -> NewKeyOut:
    """Replace a key's secret. The old secret works for another `grace_hours`."""
    access, now = access_to(request, "admin"), timezone.now()
    key = _key(access, id)
    _check_grant(access, vars(key))
    key, secret = services.rotate_key(
        space=access.space,
        key_id=key.public_id,
        grace=timedelta(hours=asked.grace_hours),
        actor=access.actor,
        now=now,
    )
    return NewKeyOut.with_secret(key, secret, now)


@router.delete("keys/{id}", response={204: None}, url_name="keys_revoke", operation_id="revokeKey")
def revoke_key(request: HttpRequest, id: RowId) -> Status[None]:
    """Revoke a key. Its secrets stop working immediately."""
    access = access_to(request, "admin")
    services.revoke_key(key=_key(access, id), actor=access.actor, now=timezone.now())
    return Status(204, None)


@router.get("audit", response=AuditList, url_name="audit_list", operation_id="listAudit")
def list_audit(request: HttpRequest, asked: Query[NumberedPageIn]) -> dict[str, object]:
    """List changes to keys, members and webhooks, newest first, with the actor of each."""
    rows = AuditEntry.objects.in_space(access_to(request, "admin").space)
    items, following = keyset("-at").page(rows, limit=asked.limit, cursor=asked.cursor)
    return {"items": items, "next": following}


def _key(access: Access, reference: str) -> ApiKey:
    rows = ApiKey.objects.in_space(access.space)
    key = rows.filter(public_id=parse_uuid(reference)).first()
    if key is None:
        raise NotFound("API key not found.")
    return key


def _check_grant(access: Access, values: Mapping[str, Any]) -> None:
    """Raise Forbidden if a key with these values would allow more than the caller has."""
    grant = roles.Grant(**{field.name: values[field.name] for field in fields(roles.Grant)})
    roles.check_grant(access.scopes, access.key, grant)
