"""Access of each role and each kind of key to every call of the API and every page.

The calls are those of the OpenAPI document and the pages those of the URL configuration. A new one
is a read if it is a GET, a write otherwise, and needs a line here if it is for administrators.
`test_api_contract.py` tests keys without a space and other spaces' ids, `test_user_isolation.py`
the users of one space.
"""

from itertools import product

import pytest
from django.conf import settings
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assessor.models import Assessment
from benchmarks.lived_in import lived_in
from chat.models import Conversation, Message
from memory.access.members import add_member
from memory.actors import SYSTEM
from memory.models import (
    ApiKey,
    AuditEntry,
    Embedder,
    Job,
    Membership,
    Memory,
    ModelChoice,
    ModelConnection,
    PolicyVersion,
    Role,
    Space,
    User,
    Webhook,
)
from tests.addresses import Address, addresses, values_of
from tests.config.test_api_contract import (
    INSTALLATION,
    OF_SPACE,
    READS_WITH_POST,
    Endpoint,
    call,
    things,
)
from tests.config.test_user_isolation import operations
from tests.conftest import ApiClient, MakeKey
from tests.pages import login
from tests.processes import queue

__all__ = ["queue", "things"]

pytestmark = pytest.mark.usefixtures("queue")

FOR_ADMINISTRATORS = {
    "listKeys", "createKey", "getKey", "changeKey", "rotateKey", "revokeKey", "listAudit",
    "listUsage", "listUsers", "eraseUser", "exportSpace", "importSpace", "changePolicy", "sweep",
    "cancelJob", "resumeJob", "redeliver",
    "listWebhooks", "createWebhook", "getWebhook", "changeWebhook", "deleteWebhook",
    "rotateWebhook", "testWebhook", "listDeliveries",
}  # fmt: skip
# What each caller has.
KEYS = {"read": ["read"], "write": ["read", "write"], "admin": ["read", "write", "admin"]}
ROLES = {
    Role.VIEWER: ["read"],
    Role.EDITOR: ["read", "write"],
    Role.OWNER: ["read", "write", "admin"],
}


def needed(endpoint: Endpoint) -> str:
    """The scope that a call needs."""
    if endpoint.name in FOR_ADMINISTRATORS:
        return "admin"
    is_read = endpoint.method == "GET" or endpoint.name in READS_WITH_POST
    return "read" if is_read else "write"


def member(space: Space, role: Role) -> User:
    """A member with this role."""
    user = User.objects.create_user(f"{role}-of-{space.slug}", f"{role}@example.org", "-")
    add_member(space=space, user=user, role=role, actor=SYSTEM, now=timezone.now())
    return user


class Session(ApiClient):
    """A browser that calls the API with its session."""

    def __init__(self, user: User, space: Space) -> None:
        super().__init__(None)
        self._client = Client(headers={"X-Ebb-Space": space.slug})
        self._client.force_login(user)


def rows() -> list[object]:
    """All rows that a caller could have changed."""
    changed = (
        Memory, Assessment, Conversation, Message, PolicyVersion, Webhook, Membership, AuditEntry,
        Job, ModelConnection, ModelChoice, Space,
    )  # fmt: skip
    keys = list(ApiKey.objects.order_by("pk").values("pk", "digest", "name", "revoked_at"))
    return [keys, *(list(model.objects.order_by("pk").values()) for model in changed)]


@operations(OF_SPACE)
def test_a_call_is_for_those_who_have_its_scope(
    key: MakeKey, space: Space, things: dict[str, object], endpoint: Endpoint
) -> None:
    id_ = things.get(endpoint.at("").split("/")[0])
    callers = {f"key {name}": (ApiClient(key(scopes=has)), has) for name, has in KEYS.items()}
    callers |= {role: (Session(member(space, role), space), has) for role, has in ROLES.items()}
    scope = needed(endpoint)
    before = rows()

    for who, (client, has) in callers.items():
        if scope in has:
            continue
        answer = call(client, endpoint, id_)
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden"), who
        assert rows() == before, who
    for who, (client, has) in callers.items():
        if scope in has:
            assert call(client, endpoint, id_).status_code not in {401, 403}, who


@operations(INSTALLATION)
def test_the_installation_is_for_operators(
    space: Space, other_space: Space, endpoint: Endpoint
) -> None:
    before = None
    for role in ROLES:
        client = Session(member(space, role), space)
        before = before or rows()
        assert call(client, endpoint).status_code == 403, role
    assert Space.objects.count() == 2
    assert not ModelConnection.objects.exists()
    operator = User.objects.create_superuser("operator", password=None)

    assert call(Session(operator, space), endpoint).status_code not in {401, 403}


# --- Pages ------------------------------------------------------------------------------------

# Anybody may open these.
PUBLIC = {
    "login", "login_link", "invitation", "login_code", "oidc_start", "oidc_callback",
    "oidc_connect", "oidc_confirm", "logout", "set_language", "metrics",
}  # fmt: skip
PAGES_FOR_OWNERS = {
    "keys", "keys_audit", "keys_create", "keys_rotate", "keys_revoke", "connect", "connect_create",
    "members_invite", "members_renew", "members_withdraw", "members_change", "members_remove",
    "spaces_create", "spaces_change", "spaces_delete", "policy_save", "policy_revert",
    "lab_adopt", "lifetimes_sweep", "job_cancel", "job_resume", "assessments_again", "usage",
    "webhooks", "webhook", "webhooks_create", "webhooks_test", "webhooks_redeliver",
    "webhooks_switch", "webhooks_rotate", "webhooks_delete", "transfer_export",
    "transfer_prepare", "transfer_exported", "transfer_import",
    "transfer_confirm", "transfer_cancel", "transfer_resume", "embeddings_try",
    "embeddings_begin", "embeddings_models", "embeddings_cancel", "embeddings_resume",
    "models_try",
}  # fmt: skip
# A page for operators, whatever their role is.
PAGES_FOR_OPERATORS = {"connection_form"}
# POSTs that change nothing of the space: a preview, and the person's own account.
POSTS_OF_VIEWERS = {
    "policy_preview", "account", "second_factor", "second_factor_renew", "second_factor_off",
    "sessions_end_others",
}  # fmt: skip
# The one change that a viewer may ask for: that a person looks at a memory again.
REPORTS = {"memory_report", "why_report"}


@pytest.fixture
def full(embedder: Embedder) -> Space:
    """A space with something of everything."""
    space = lived_in("lived-in", 3, timezone.now())
    assert isinstance(space, Space)
    return space


def url_of(address: Address, space: Space) -> str | None:
    """A URL of this entry; None without a row that it could lead to."""
    first = next(product(*(values_of(argument, space) for argument in address.arguments)), None)
    if first is None:
        return None
    return reverse(address.name, kwargs=dict(zip(address.arguments, first, strict=True)))


def pages(space: Space) -> dict[str, str]:
    """The URLs of a space by their names."""
    of_space = [one for one in addresses() if "slug" in one.arguments]
    found = {one.name: url for one in of_space if (url := url_of(one, space))}
    assert len(found) > 100
    assert found.keys() >= PAGES_FOR_OWNERS
    return found


def both(client: Client, url: str) -> dict[str, HttpResponseBase]:
    """Return the answers to GET and POST, without those that do not exist (405)."""
    answers = {"GET": client.get(url), "POST": client.post(url)}
    return {name: one for name, one in answers.items() if one.status_code != 405}


@pytest.mark.django_db
def test_anybody_is_asked_to_log_in(full: Space) -> None:
    before = rows()

    open_pages = {}
    for address in addresses():
        if address.name in PUBLIC or not (url := url_of(address, full)):
            continue
        for method, answer in both(Client(), url).items():
            to_login = answer.headers.get("Location", "").startswith(reverse(settings.LOGIN_URL))
            if answer.status_code != 302 or not to_login:
                open_pages[f"{method} {address.name}"] = answer.status_code

    assert open_pages == {}
    assert rows() == before


@pytest.mark.django_db
def test_a_stranger_finds_no_page(full: Space, charlie: User) -> None:
    client, found, before = login(charlie), pages(full), rows()

    answers = {name: both(client, url) for name, url in found.items()}

    assert all(answers.values())
    wrong = {
        name: {method: one.status_code for method, one in said.items()}
        for name, said in answers.items()
        if any(one.status_code != 404 for one in said.values())
    }
    assert wrong == {}
    assert rows() == before


@pytest.mark.django_db
def test_a_viewer_changes_nothing(full: Space) -> None:
    client, found = login(member(full, Role.VIEWER)), pages(full)
    before = rows()

    done = {}
    for name, url in found.items():
        if name in REPORTS:
            continue
        answer = client.post(url)
        if name not in POSTS_OF_VIEWERS and answer.status_code not in {403, 404, 405}:
            done[name] = answer.status_code

    assert done == {}
    assert rows() == before


@pytest.mark.django_db
def test_an_editor_opens_everything_but_the_pages_of_owners(full: Space) -> None:
    client, found = login(member(full, Role.EDITOR)), pages(full)
    before = rows()

    for name in PAGES_FOR_OWNERS:
        statuses = {one.status_code for one in both(client, found[name]).values()}
        assert statuses == {403}, name
    assert rows() == before
    refused = {name for name, url in found.items() if client.get(url).status_code == 403}
    assert refused <= PAGES_FOR_OWNERS | PAGES_FOR_OPERATORS


@pytest.mark.django_db
def test_an_owner_may_open_every_page(full: Space) -> None:
    client = login(member(full, Role.OWNER))

    refused = {name for name, url in pages(full).items() if client.get(url).status_code == 403}

    assert refused == PAGES_FOR_OPERATORS
