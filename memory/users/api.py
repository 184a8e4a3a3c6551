"""JSON API of a space's users: list them, and erase one. Needs the scope `admin`."""

from typing import Annotated

from django.http import HttpRequest
from django.utils import timezone
from ninja import Field, Path, Query, Router, Status
from pydantic import AfterValidator

from accounts.authentication import access_to
from foundation.http.requests import may_fail
from foundation.texts.names import MAX_NAME, NAME_PATTERN
from foundation.texts.storable import storable_id
from memory.jobs.schemas import JobOut
from memory.users.erasure import start_erasure
from memory.users.schemas import UserList, UserOut, UsersIn
from memory.users.services import users

router = Router(tags=["users"])

NamedUser = Annotated[
    str,
    Field(
        max_length=MAX_NAME,
        description="The user's name.",
        json_schema_extra={"pattern": NAME_PATTERN},
    ),
    AfterValidator(storable_id),
]


@router.get("users", response=UserList, url_name="users_list", operation_id="listUsers")
def list_users(request: HttpRequest, asked: Query[UsersIn]) -> UserList:
    """List the users named by memories, conversations or assessments of the space."""
    access = access_to(request, "admin")
    found = users(access.space, limit=asked.limit + 1, after=asked.cursor or "")
    page = found[: asked.limit]
    following = page[-1].user_id if len(found) > asked.limit else None
    return UserList(items=[UserOut.of(user) for user in page], next=following)


@router.delete(
    "users/{path:user_id}",
    response={202: JobOut},
    url_name="users_erase",
    operation_id="eraseUser",
    openapi_extra=may_fail(404, 409),
)
def erase_user(request: HttpRequest, user_id: Path[NamedUser]) -> Status[JobOut]:
    """Erase a user with all their memories, earlier texts, history entries, conversations,
    messages, assessments and webhook messages. Nothing can be restored.

    The response is a job. When it is done, its `result` is the receipt: the number of erased rows
    of each kind.
    """
    access, now = access_to(request, "admin"), timezone.now()
    job = start_erasure(space=access.space, user_id=user_id, actor=access.actor, now=now)
    return Status(202, JobOut.of(job, now))
