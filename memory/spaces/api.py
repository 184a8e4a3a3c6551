"""JSON API of spaces and their first keys, for an installation key or an operator's session."""

from django.http import HttpRequest
from django.utils import timezone
from ninja import Path, Query, Router, Status

from accounts.authentication import BearerKey, OperatorSession, operator_of
from accounts.keys.services import create_key
from accounts.models import Space, User
from accounts.schemas import KeyIn, NewKeyOut
from foundation.errors import NotFound
from foundation.http.pagination import keyset
from foundation.http.requests import NumberedPageIn, may_fail
from memory.embeddings.embedders import configured_embedder
from memory.spaces import services
from memory.spaces.schemas import SpaceIn, SpaceList, SpaceOut

router = Router(tags=["spaces"], auth=[BearerKey(), OperatorSession()])


@router.get("spaces", response=SpaceList, url_name="spaces_list", operation_id="listSpaces")
def list_spaces(request: HttpRequest, asked: Query[NumberedPageIn]) -> SpaceList:
    """List the spaces of the installation, newest first, except those being deleted. Needs an
    installation key."""
    operator_of(request)
    rows = Space.objects.filter(closed_at=None).select_related("embedder")
    found, following = keyset("-created_at").page(rows, limit=asked.limit, cursor=asked.cursor)
    return SpaceList(items=[_shown(space) for space in found], next=following)


@router.post(
    "spaces",
    response={201: SpaceOut},
    url_name="spaces_create",
    operation_id="createSpace",
    openapi_extra=may_fail(503),
)
def create_space(request: HttpRequest, asked: SpaceIn) -> Status[SpaceOut]:
    """Create a space. To use it, create a key for it. Needs an installation key. An operator with a
    browser session becomes its owner; with a key, it has no members."""
    actor = operator_of(request)
    space = services.create_space(
        slug=asked.slug,
        name=asked.name or asked.slug,
        language=asked.language,
        embedder=configured_embedder(),
        actor=actor,
        owner=request.user if isinstance(request.user, User) and actor.type == "user" else None,
    )
    return Status(201, _shown(space))


@router.post(
    "spaces/{slug}/keys",
    response={201: NewKeyOut},
    url_name="spaces_keys_create",
    operation_id="createSpaceKey",
)
def create_space_key(request: HttpRequest, slug: Path[str], asked: KeyIn) -> Status[NewKeyOut]:
    """Create a key for a space. Only this response contains its secret. Needs an
    installation key.
    """
    actor, now = operator_of(request), timezone.now()
    space = Space.objects.filter(closed_at=None, slug=slug).first()
    if space is None:
        raise NotFound("Space not found.")
    key, secret = create_key(space=space, actor=actor, now=now, **asked.model_dump())
    return Status(201, NewKeyOut.with_secret(key, secret, now))


def _shown(space: Space) -> SpaceOut:
    return SpaceOut(
        slug=space.slug,
        name=space.name,
        embedding_model=space.embedder.model,
        created_at=space.created_at,
    )
