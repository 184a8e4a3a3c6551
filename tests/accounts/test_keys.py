"""Keys of other programs: what a call costs, how long one works and how often, and the audit."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accounts.keys.services import authenticate, create_key, digest, revoke_key, rotate_key
from accounts.models import ApiKey, AuditAction, AuditEntry, Membership, Role, Scope, Space, User
from foundation.actors import SYSTEM
from foundation.errors import Conflict, NotFound, RateLimited
from tests.conftest import ApiClient, MakeKey

NOW = datetime(2025, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
LATER = datetime(2100, 1, 1, tzinfo=UTC)
LIMITS = ("scopes", "expires_at", "rate_limit", "learns")


def make(space: Space, **terms: object) -> tuple[ApiKey, str]:
    return create_key(space=space, scopes=[Scope.READ], actor=SYSTEM, now=NOW, **terms)  # type: ignore[arg-type]  # the tests' own keywords


def works(secret: str, after: timedelta = timedelta()) -> bool:
    return authenticate(secret=secret, now=NOW + after) is not None


def test_use_is_written_at_most_once_a_minute(
    space: Space, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    key, secret = make(space)

    for seconds, queries, last_used in ((0, 2, 0), (59, 1, 0), (61, 2, 61), (62, 1, 61)):
        with django_assert_num_queries(queries):
            authenticated = authenticate(secret=secret, now=NOW + timedelta(seconds=seconds))
            assert authenticated is not None
            assert authenticated.space.embedder == space.embedder
        assert ApiKey.objects.get(pk=key.pk).last_used_at == NOW + timedelta(seconds=last_used)


def test_unknown_and_revoked_secrets_are_nobody(space: Space) -> None:
    key, secret = make(space)
    revoke_key(key=key, actor=SYSTEM, now=NOW)

    assert not works(secret)
    assert not works("ebb_unknown")
    assert ApiKey.objects.get(pk=key.pk).last_used_at is None


def test_key_works_until_it_expires(space: Space) -> None:
    _, secret = make(space, expires_at=NOW + HOUR)

    assert works(secret, HOUR - timedelta(seconds=1))
    assert not works(secret, HOUR)


def test_rotated_key_has_a_new_secret_and_the_old_one_for_a_while(space: Space) -> None:
    key, first = make(space)
    rotated, second = rotate_key(
        space=space, key_id=key.public_id, grace=HOUR, actor=SYSTEM, now=NOW
    )

    assert (rotated.pk, rotated.prefix) == (key.pk, second[:12])
    assert works(first, HOUR - timedelta(seconds=1))
    assert not works(first, HOUR)
    assert works(second, 2 * HOUR)

    _, third = rotate_key(
        space=space, key_id=key.public_id, grace=timedelta(), actor=SYSTEM, now=NOW
    )
    assert [works(secret) for secret in (first, second, third)] == [False, False, True]


def test_revoking_ends_the_old_secret_too_and_cannot_be_rotated_away(space: Space) -> None:
    key, first = make(space)
    key, second = rotate_key(space=space, key_id=key.public_id, grace=HOUR, actor=SYSTEM, now=NOW)
    revoke_key(key=key, actor=SYSTEM, now=NOW)

    assert not works(first)
    assert not works(second)
    with pytest.raises(Conflict):
        rotate_key(space=space, key_id=key.public_id, grace=HOUR, actor=SYSTEM, now=NOW)


def test_limited_key_may_ask_so_often_a_minute_and_is_told_when_again(space: Space) -> None:
    _, secret = make(space, rate_limit=3)

    assert [works(secret) for _ in range(3)] == [True] * 3
    with pytest.raises(RateLimited) as refused:
        works(secret, timedelta(seconds=5))
    assert refused.value.retry_after == pytest.approx(15)
    assert works(secret, timedelta(seconds=20))
    with pytest.raises(RateLimited):
        works(secret, timedelta(seconds=20))
    # A pause fills the minute again and not more.
    later = timedelta(hours=1)
    assert [works(secret, later) for _ in range(3)] == [True] * 3
    with pytest.raises(RateLimited):
        works(secret, later)


ENDPOINTS = [
    # method, path, where the code stands, what it is
    ("GET", "/api/v1/memories", lambda body: body["code"], "rate_limited"),
    ("GET", "/v1/models", lambda body: body["error"]["code"], "rate_limit_exceeded"),
    ("POST", "/v1/chat/completions", lambda body: body["error"]["type"], "rate_limit_error"),
]


@pytest.mark.parametrize(("method", "path", "code", "expected"), ENDPOINTS)
def test_every_api_answers_429_with_the_pause(
    space: Space, method: str, path: str, code: object, expected: str
) -> None:
    key, secret = make(space, rate_limit=60)
    far = datetime.now(UTC) + timedelta(seconds=70)
    ApiKey.objects.filter(pk=key.pk).update(spent_until=far)

    answer = Client(headers={"Authorization": f"Bearer {secret}"}).generic(method, path)
    took = datetime.now(UTC) - (far - timedelta(seconds=70))

    assert answer.status_code == 429
    assert 9 - took.total_seconds() <= int(answer.headers["Retry-After"]) <= 11
    assert code(answer.json()) == expected  # type: ignore[operator]  # a lambda of the table


def test_keys_are_managed_by_a_key(key: MakeKey, space: Space) -> None:
    steward = ApiClient(key(scopes=["read", "admin"]))
    asked = {"name": "phone", "scopes": ["read"], "expires_at": "2999-01-01T00:00:00Z"}

    made = steward.post("keys", asked | {"rate_limit": 60}).json()
    at = f"keys/{made['id']}"
    assert made["secret"].startswith(made["prefix"])
    assert (made["status"], made["rate_limit"], made["last_used_at"]) == ("live", 60, None)
    assert ApiClient(made["secret"]).get("memories").status_code == 200

    changed = steward.patch(at, {"rate_limit": None, "name": "tablet"}).json()
    assert (changed["name"], changed["rate_limit"]) == ("tablet", None)
    assert changed["expires_at"] == "2999-01-01T00:00:00Z"
    rotated = steward.post(f"{at}/rotate", {"grace_hours": 2}).json()
    assert rotated["previous_secret_until"]
    assert "secret" not in steward.get(at).json()
    assert steward.delete(at).status_code == 204
    assert steward.get(at).json()["status"] == "revoked"
    assert [answer["id"] for answer in steward.get("keys").json()["items"]].count(made["id"]) == 1

    told = steward.get("audit").json()["items"]
    assert [entry["action"] for entry in told][:4] == [
        "key.revoked", "key.rotated", "key.changed", "key.created",
    ]  # fmt: skip

    other = steward.post("keys", asked).json()
    assert steward.post(f"keys/{other['id']}/rotate").json()["previous_secret_until"]  # no body
    assert told[2]["detail"] == {"name": "tablet", "rate_limit": None}
    assert told[0]["actor"] == {"type": "key", "name": "test"}
    for secret in (made["secret"], rotated["secret"]):
        assert digest(secret) not in str(told)
        assert secret not in str(told)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"scopes": []}, "scopes"),
        ({"scopes": ["root"]}, "scopes.0"),
        ({"scopes": ["read"], "expires_at": "2001-01-01T00:00:00Z"}, "expires_at"),
        ({"scopes": ["read"], "rate_limit": 0}, "rate_limit"),
        ({"scopes": ["read"], "rate_limit": True}, "rate_limit"),
        ({"scopes": ["read"], "name": "x" * 121}, "name"),
    ],
)
def test_wrong_terms_make_no_key(
    key: MakeKey, space: Space, body: dict[str, object], field: str
) -> None:
    steward = ApiClient(key())

    answer = steward.post("keys", body)

    assert answer.status_code == 422, answer.content
    assert [error["field"] for error in answer.json()["errors"]] == [field]
    assert ApiKey.objects.count() == 1


def test_nobody_gives_what_they_do_not_have(key: MakeKey, space: Space) -> None:
    steward = ApiClient(key(scopes=["admin"]))
    full, _ = create_key(space=space, scopes=["read", "admin"], actor=SYSTEM, now=NOW)

    assert steward.post("keys", {"scopes": ["admin", "write"]}).status_code == 403
    assert steward.post(f"keys/{full.public_id}/rotate", {}).status_code == 403
    assert steward.post("keys", {"scopes": ["admin"]}).status_code == 201


def test_another_spaces_key_does_not_exist(space: Space, other_space: Space) -> None:
    key, _ = make(space)

    with pytest.raises(NotFound):
        rotate_key(space=other_space, key_id=key.public_id, grace=HOUR, actor=SYSTEM, now=NOW)


def test_command_makes_keys_that_end_and_keys_with_a_limit(
    space: Space, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = {"space": space.slug, "scopes": "read", "name": "cron"}

    call_command("create_api_key", **asked, expires_days=2, rate_limit=30)

    [secret] = capsys.readouterr().out.split()
    key = ApiKey.objects.get(digest=digest(secret))
    assert (key.name, key.rate_limit) == ("cron", 30)
    assert key.expires_at is not None
    assert key.expires_at - key.created_at == timedelta(days=2)
    with pytest.raises(CommandError, match="rate_limit"):
        call_command("create_api_key", **asked, rate_limit=0)


def test_a_key_may_be_made_that_teaches_nothing(
    space: Space, key: MakeKey, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("create_api_key", space=space.slug, scopes="read", no_learn=True)
    secret = capsys.readouterr().out.strip()
    assert not ApiKey.objects.get(digest=digest(secret)).learns

    admin = ApiClient(key())
    made = admin.post("keys", {"scopes": ["read"], "learns": False}).json()
    assert made["learns"] is False
    assert AuditEntry.objects.latest("pk").detail["learns"] is False
    assert admin.call("PATCH", f"keys/{made['id']}", {"learns": True}).json()["learns"] is True
    assert admin.post("keys", {"scopes": ["read"]}).json()["learns"] is True


@pytest.mark.parametrize(
    ("own", "wider", "narrower"),
    [
        ({"expires_at": LATER}, [None, (LATER + HOUR).isoformat()], LATER.isoformat()),
        ({"rate_limit": 60}, [None, 61], 60),
        ({"learns": False}, [True], False),
    ],
    ids=["expiry", "rate limit", "learning"],
)
def test_a_key_grants_no_more_than_it_has(
    space: Space, key: MakeKey, own: dict[str, Any], wider: list[object], narrower: object
) -> None:
    [(name, _)] = own.items()
    free = ApiClient(key())
    other = free.post("keys", {"scopes": ["read"]}).json()["id"]
    limited, secret = create_key(
        space=space, scopes=list(Scope), actor=SYSTEM, now=timezone.now(), **own
    )
    client, before = ApiClient(secret), key_rows()

    for value in wider:
        for path in (limited.public_id, other):
            assert client.patch(f"keys/{path}", {name: value}).status_code == 403
        assert client.post("keys", {"scopes": ["read"], name: value}).status_code == 403
    # It would learn the secret of a key that may do more.
    assert client.post(f"keys/{other}/rotate").status_code == 403
    assert key_rows() == before
    assert client.post("keys", {"scopes": ["read"], name: narrower}).status_code == 201
    assert client.post(f"keys/{limited.public_id}/rotate").status_code == 200


def key_rows() -> list[dict[str, object]]:
    return list(ApiKey.objects.order_by("pk").values("pk", "digest", *LIMITS))


def test_audit_tells_who_came_changed_and_went(
    space: Space, alice: User, bob: User, client: Client
) -> None:
    alice.is_staff = alice.is_superuser = True
    alice.save()
    client.force_login(alice)
    member = Membership.objects.get(space=space, user=bob)
    owner = Membership.objects.get(space=space, user=alice)
    for values in ({"1-role": "editor"}, {"1-role": "editor", "1-DELETE": "on"}):
        form = {
            "name": space.name, "slug": space.slug, "embedder": space.embedder_id,
            "created_at_0": "2025-03-01", "created_at_1": "12:00:00",
            "memberships-TOTAL_FORMS": 2, "memberships-INITIAL_FORMS": 2,
            "memberships-0-id": owner.pk, "memberships-0-space": space.pk,
            "memberships-0-user": alice.pk, "memberships-0-role": "owner",
            "memberships-1-id": member.pk, "memberships-1-space": space.pk,
            "memberships-1-user": bob.pk,
            **{f"memberships-{name}": value for name, value in values.items()},
        }  # fmt: skip
        answer = client.post(f"/admin/accounts/space/{space.pk}/change/", form)
        assert answer.status_code == 302, answer.content

    told = AuditEntry.objects.in_space(space).order_by("pk")
    bobs = [(e.action, e.actor_name, e.detail) for e in told if e.subject == "bob"]
    assert bobs == [
        (AuditAction.MEMBER_ADDED, SYSTEM.name, {"role": Role.VIEWER, "before": None}),
        (AuditAction.MEMBER_CHANGED, "alice", {"role": Role.EDITOR, "before": Role.VIEWER}),
        (AuditAction.MEMBER_REMOVED, "alice", {"before": Role.EDITOR}),
    ]
    assert not Membership.objects.filter(user=bob).exists()
    with pytest.raises(TypeError, match="append-only"):
        told[0].save()
