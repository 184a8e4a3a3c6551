"""The rights of each person and each key, everywhere, against the table in roles.txt.

The operations are those of the OpenAPI documents, the pages those of the URL configuration, the
tools and lists those of their registries. One without a line in the table fails.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product
from uuid import uuid4

import pytest
from django.contrib import admin
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import ApiKey, AuditEntry, Embedder, Membership, Space, User
from assessor.models import Assessment
from chat.models import Conversation, Message
from memory.models import Job, Memory, ModelChoice, ModelConnection, PolicyVersion, Webhook
from tests.addresses import Address, addresses, values_of
from tests.config.callers import caller, person, secret, undone
from tests.config.program_calls import Program, programs
from tests.config.role_table import lines_by_name, mark_of, section
from tests.config.test_api_contract import ALL, Endpoint, call, things
from tests.config.test_user_isolation import alone, operations
from tests.lived_in import lived_in
from tests.processes import queue

__all__ = ["queue", "things"]

pytestmark = pytest.mark.usefixtures("queue")


def rows() -> list[object]:
    """All rows that a caller could have changed."""
    changed = (
        Memory, Assessment, Conversation, Message, PolicyVersion, Webhook, Membership, AuditEntry,
        Job, ModelConnection, ModelChoice, Space,
    )  # fmt: skip
    keys = list(ApiKey.objects.order_by("pk").values("pk", "digest", "name", "revoked_at"))
    users = list(User.objects.order_by("pk").values("pk", "password", "is_staff", "is_superuser"))
    return [keys, users, *(list(model.objects.order_by("pk").values()) for model in changed)]


# --- The API ----------------------------------------------------------------------------------

API = lines_by_name("api")
# Nothing has the random ids in the bodies of these.
UNKNOWN = {
    "applyConsolidation", "undoAction", "undoDigestLine", "restoreMemories", "revertMemory",
    "chooseModel", "removeModelChoice",
}  # fmt: skip


def test_each_operation_is_in_the_table() -> None:
    assert API.keys() == {endpoint.name for endpoint in ALL}


@pytest.fixture
def connection(db: None) -> ModelConnection:
    return ModelConnection.objects.create(name="small", base_url="http://127.0.0.1:9/v1")


@operations(ALL)
def test_operations(
    space: Space,
    other_space: Space,
    things: dict[str, object],
    connection: ModelConnection,
    endpoints: list[Endpoint],
) -> None:
    callers = {who: caller(who, space, other_space) for who in API[endpoints[0].name].marks}
    targets = things | {"connections": connection.pk, "spaces": space.slug, "users": "alice"}

    def ask(endpoint: Endpoint, who: str) -> str:
        return mark_of(call(callers[who], endpoint, targets.get(endpoint.kind)))

    # First those who are refused, who change nothing.
    before = rows()
    wrong = {
        (endpoint.name, who): mark
        for endpoint in endpoints
        for who, mark in API[endpoint.name].marks.items()
        if mark != "+" and ask(endpoint, who) != mark
    }
    assert wrong == {}
    assert rows() == before
    for endpoint in endpoints:
        for who in [who for who, mark in API[endpoint.name].marks.items() if mark == "+"]:
            with alone(endpoint):
                right = "+0" if endpoint.name in UNKNOWN else "+"
                assert ask(endpoint, who) in right, (endpoint, who)


# --- Pages ------------------------------------------------------------------------------------

# A form names the row, only the caller's own row is found, or two rows must belong together.
NO_ROW = {
    "sessions_end", "spaces_bring_back", "model_choose", "model_unchoose", "models_try",
    "conversation_share", "memories_change", "memory_act", "memory_revert", "consolidation_undo",
    "digest_undo", "exchange_discard", "exchange_restore",
}  # fmt: skip


@pytest.fixture
def full(embedder: Embedder) -> Space:
    """A space with something of everything."""
    space = lived_in("lived-in", 3, timezone.now())
    assert isinstance(space, Space)
    return space


def urls_of(address: Address, space: Space) -> Iterator[str]:
    """The URLs of this entry, with the rows that there are."""
    members = Membership.objects.filter(space=space).values_list("pk", flat=True)
    known = {"member_id": list(members[:1])}
    values = (known.get(one) or values_of(one, space) or ["1"] for one in address.arguments)
    for chosen in product(*values):
        yield reverse(address.name, kwargs=dict(zip(address.arguments, chosen, strict=True)))


def asked(client: Client, method: str, url: str) -> HttpResponseBase:
    with undone():
        return client.generic(method, url)


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_pages(full: Space, other_space: Space, method: str) -> None:
    table = {n: one for one in section("pages") if one.title.startswith(method) for n in one.names}
    clients = {column: Client() for column in section("pages")[0].marks}
    for column, client in clients.items():
        if user := person(column, full, other_space):
            client.force_login(user)
    before, found, wrong = rows(), set(), {}

    @cache
    def answer(who: str, url: str) -> tuple[int, str]:
        answer = asked(clients[who], method, url)
        return answer.status_code, mark_of(answer)

    for address in addresses():
        # The first at which a viewer and an owner find something, or else the first.
        urls = list(urls_of(address, full))
        two = ("viewer", "owner")
        shown = (url for url in urls if all(answer(who, url)[0] != 404 for who in two))
        url = next(shown, urls[0])
        if answer("nobody", url)[0] == 405:
            continue
        found.add(address.name)
        marks = table[address.name].marks if address.name in table else {}
        got = {who: answer(who, url)[1] for who in clients}
        if address.name in NO_ROW:
            got = {who: "+" if (m, marks[who]) == ("0", "+") else m for who, m in got.items()}
        if got != marks:
            wrong[address.name] = got

    assert wrong == {}
    assert found == table.keys()
    assert rows() == before


# --- The admin --------------------------------------------------------------------------------

ADMIN = lines_by_name("admin")


def admin_urls() -> dict[str, tuple[str, str]]:
    """Each thing to do in the admin, as the table calls it, and its request. A row need not exist:
    the admin looks at permissions first."""
    found = {name: ("GET", reverse(f"admin:{name}")) for name in ("index", "password_change")}
    for model in admin.site._registry:
        name, base = model.__name__, f"admin:{model._meta.app_label}_{model._meta.model_name}"
        one = [str(row.pk)] if (row := model._default_manager.first()) else [str(uuid4())]
        found[name] = ("GET", reverse(f"{base}_changelist"))
        found[f"add:{name}"] = ("GET", reverse(f"{base}_add"))
        found[f"change:{name}"] = ("POST", reverse(f"{base}_change", args=one))
        found[f"delete:{name}"] = ("GET", reverse(f"{base}_delete", args=one))
    someone = User.objects.first()
    assert someone
    change_password = reverse("admin:auth_user_password_change", args=[someone.pk])
    return found | {"password:User": ("GET", change_password)}


@pytest.mark.django_db
def test_admin(full: Space, other_space: Space) -> None:
    clients = {column: Client() for column in ADMIN["index"].marks}
    for column, client in clients.items():
        if user := person(column, full, other_space):
            client.force_login(user)
    before = rows()

    got = {
        name: {who: mark_of(asked(client, *request)) for who, client in clients.items()}
        for name, request in admin_urls().items()
    }

    assert got == {name: line.marks for name, line in ADMIN.items()}
    assert rows() == before


# --- Programs ---------------------------------------------------------------------------------

PROGRAMS = lines_by_name("programs")
NOT_STORED = {"retrieveResponse", "deleteResponse", "GET:v1/event/{event_id}"}


def test_each_call_of_a_program_is_in_the_table() -> None:
    assert PROGRAMS.keys() == {program.name for program in programs()}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("program", programs(), ids=lambda one: one.name)
def test_programs(space: Space, other_space: Space, program: Program) -> None:
    marks = PROGRAMS[program.name].marks
    clients = {who: Client() for who in marks}
    for who, client in clients.items():
        if (key := secret(who, space)) is not None:
            scheme = "Token" if program.path.startswith("/mem0") else "Bearer"
            client.defaults["HTTP_AUTHORIZATION"] = f"{scheme} {key}"
        elif who == "session" and (owner := person("owner", space, other_space)):
            client.force_login(owner)

    got = {who: program.mark(client, space) for who, client in clients.items()}

    if program.name in NOT_STORED:
        got = {who: "+" if (m, marks[who]) == ("0", "+") else m for who, m in got.items()}
    assert got == marks
