"""Shared fixtures: people, spaces, keys, a caller of the API, and no way to the network.

alice owns `space`, bob may view it, charlie belongs to `other_space` only.
"""

import json
import os
import ssl
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

import hypothesis
import pytest
from django.core.management.commands import flush
from django.db.backends.postgresql.operations import DatabaseOperations
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from accounts.keys.installation_keys import create_installation_key
from accounts.keys.services import create_key
from accounts.members.services import add_member
from accounts.models import Embedder, Role, Space, User
from foundation.actors import SYSTEM
from memory.embeddings.embedders import register_embedder
from memory.spaces.services import create_space
from tests.space_names import Watch, watch
from tests.stub_model import stub_model, stub_model_server

if TYPE_CHECKING:
    # The stubs' name for a response together with what the test client adds to it.
    from django.test.client import _MonkeyPatchedWSGIResponse as Answer
else:
    from django.http import HttpResponse as Answer

# What comes from elsewhere: fixtures for every test folder, and a type.
__all__ = ["Answer", "stub_model", "stub_model_server"]

OF_THE_MODELS = {"django_content_type", "auth_permission"}
ALL_SCOPES = ("read", "write", "admin")


def _stay_on_this_machine(event: str, arguments: tuple[Any, ...]) -> None:
    """Fails the test that connects further than to this machine (a path is a Unix socket)."""
    if event != "socket.connect" or not isinstance(arguments[1], tuple):
        return
    host = str(arguments[1][0])
    if host not in {"localhost", "::1"} and not host.startswith("127."):
        pytest.fail(f"A test tried to connect to {host}")


# Few generated examples, the same each time; `make explore` looks at many new ones. A test whose
# examples write many rows takes a part of them.
_SAME = hypothesis.settings.get_profile("ci")
hypothesis.settings.register_profile("few", _SAME, max_examples=24)
hypothesis.settings.register_profile("explore", _SAME, derandomize=False, max_examples=500)


def pytest_xdist_auto_num_workers() -> int:
    """Return how many processes run tests: one more than the machine has cores, since many tests
    wait for processes that they started; at most four, since each takes a gigabyte."""
    return min((os.cpu_count() or 1) + 1, 4)


@pytest.hookimpl(trylast=True)  # after the shuffle, whose order remains otherwise
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the tests of pages, which share a Chromium, and of processes: with the long ones
    first, all the processes of the run end at about the same time."""
    begin = ("browser", "stack")
    items.sort(key=lambda item: [item.get_closest_marker(name) is None for name in begin])


def pytest_configure() -> None:
    sys.addaudithook(_stay_on_this_machine)
    if "PYTEST_XDIST_WORKER" in os.environ:
        # Coverage follows the test processes, but not the servers that they start.
        os.environ.pop("COVERAGE_PROCESS_CONFIG", None)


@pytest.fixture(autouse=True, scope="session")
def quick_emptying() -> Iterator[None]:
    """Empty the tables after a test by DELETE: TRUNCATE makes new files for each table and index,
    which takes ten times as long. Django's own rows about the models stay: it would write the same
    again.

    The emptying wins over a web server or worker that locks the tables in another order: PostgreSQL
    ends the one that checks for a deadlock first, and that is never this connection.
    """

    def statements(
        operations: DatabaseOperations, _: object, tables: list[str], **options: bool
    ) -> list[str]:
        tables = [*tables, "ebb_cache"]  # no model's
        names = [operations.quote_name(table) for table in tables if table not in OF_THE_MODELS]
        return [
            "SET LOCAL deadlock_timeout = '2min'",
            f"LOCK TABLE {', '.join(names)} IN ACCESS EXCLUSIVE MODE",
            "SET LOCAL session_replication_role = replica",
            "; ".join(f"DELETE FROM {name}" for name in names),
        ]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DatabaseOperations, "sql_flush", statements)
        patch.setattr(flush, "emit_post_migrate_signal", lambda *_: None)
        yield


@pytest.fixture(autouse=True, scope="session")
def authorities_read_once() -> Iterator[None]:
    """Load the certificate authorities once. Every new HTTP client would load them again, which
    takes longer than its call to this machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", cache(ssl.create_default_context))
        yield


@pytest.fixture(autouse=True, scope="session")
def all_statements() -> Iterator[Watch]:
    """The SQL of all tests."""
    with watch() as watched:
        yield watched


@pytest.fixture(autouse=True)
def statements_name_their_space(all_statements: Watch) -> Iterator[None]:
    """Fails the test in which the product sends SQL that does not name the space of a table."""
    with all_statements.during_a_test():
        yield


@pytest.fixture(autouse=True)
def quick_passwords(settings: Settings) -> None:
    """The real hasher takes half a second for each user, and it is Django's to test."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def embedder(db: None) -> Embedder:
    """The built-in model, with its index."""
    return register_embedder(provider="local", model="all-MiniLM-L6-v2", dimensions=384)


@pytest.fixture
def alice(db: None) -> User:
    """Owner of `space`."""
    return User.objects.create_user("alice", "alice@example.org", "a long password of alice")


@pytest.fixture
def bob(space: Space) -> User:
    """May look at `space`, and change nothing."""
    user = User.objects.create_user("bob", "bob@example.org", "a long password of bob")
    add_member(space=space, user=user, role=Role.VIEWER, actor=SYSTEM, now=timezone.now())
    return user


@pytest.fixture
def charlie(other_space: Space) -> User:
    """Owner of `other_space`, a stranger to `space`."""
    user = User.objects.create_user("charlie", "charlie@example.org", "a long password of charlie")
    add_member(space=other_space, user=user, role=Role.OWNER, actor=SYSTEM, now=timezone.now())
    return user


@pytest.fixture
def space(embedder: Embedder, alice: User) -> Space:
    return create_space(slug="home", name="Home", embedder=embedder, actor=SYSTEM, owner=alice)


@pytest.fixture
def other_space(embedder: Embedder) -> Space:
    return create_space(slug="other", name="Other", embedder=embedder, actor=SYSTEM)


class MakeKey(Protocol):
    def __call__(self, space: Space = ..., scopes: Sequence[str] = ...) -> str: ...


@pytest.fixture
def key(space: Space) -> MakeKey:
    """Makes keys: `key()` for everything in `space`, `key(other_space, ["read"])`."""
    own_space = space

    def make(space: Space = own_space, scopes: Sequence[str] = ALL_SCOPES) -> str:
        return create_key(
            space=space, scopes=scopes, name="test", actor=SYSTEM, now=timezone.now()
        )[1]

    return make


@pytest.fixture
def installation_key(db: None) -> str:
    """A key that manages connections and spaces, and belongs to no space."""
    return create_installation_key(actor=SYSTEM, now=timezone.now(), name="test")[1]


class ApiClient:
    """A program that calls /api/v1/ with a key, or without one."""

    def __init__(self, secret: str | None) -> None:
        self._client = Client(headers={"Authorization": f"Bearer {secret}"} if secret else {})

    def get(self, path: str, **query: Any) -> Answer:
        return self.call("GET", path, query=query)

    def post(
        self, path: str, body: object = None, *, headers: dict[str, str] | None = None
    ) -> Answer:
        return self.call("POST", path, body, headers=headers)

    def patch(self, path: str, body: object) -> Answer:
        return self.call("PATCH", path, body)

    def delete(self, path: str) -> Answer:
        return self.call("DELETE", path)

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        query: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """One request; the body is JSON unless it is bytes, which go as they are."""
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body)
        return self._client.generic(
            method,
            f"/api/v1/{path}",
            data,
            content_type="application/json",
            query_params=query or None,
            headers=headers,
        )


@pytest.fixture
def api() -> Callable[[str | None], ApiClient]:
    """Calls the API with a key: `api(key()).get("memories").json()`; `api(None)` has none."""
    return ApiClient
