"""Connections and choices: which model serves a purpose, and how keys are kept."""

from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django import Settings

from accounts.models import AuditEntry, InstallationAuditEntry, Space
from foundation.errors import InvalidArguments, NotFound
from foundation.sealing import Unreadable, seal, unseal
from memory.model_connections.choosing import chosen_model, key_of
from memory.model_connections.services import (
    Change,
    add_connection,
    change_connection,
    choose_model,
    delete_connection,
    record_failure,
    record_success,
    remove_choice,
)
from memory.models import ModelChoice, ModelConnection, Purpose
from tests.memory.writing import ALICE

pytestmark = pytest.mark.django_db

KEY = "sk-the-key-of-the-provider"
LOCAL = "http://127.0.0.1:11434/v1"


@pytest.fixture
def change(space: Space) -> Change:
    return Change(ALICE, timezone.now())


@pytest.fixture
def ollama(change: Change) -> ModelConnection:
    return add_connection(
        change=change,
        name="Ollama",
        preset="ollama",
        base_url=LOCAL,
        key=KEY,
        price_prompt=1.0,
        price_completion=2.0,
    )


def choose(
    change: Change, connection: ModelConnection, model: str, space: Space | None = None
) -> ModelChoice:
    return choose_model(
        purpose="chat",
        space=space,
        connection_id=connection.pk,
        model=model,
        change=change,
    )


def test_a_spaces_choice_comes_before_the_installations(
    space: Space, other_space: Space, change: Change, ollama: ModelConnection
) -> None:
    assert chosen_model(Purpose.CHAT, space) is None
    choose(change, ollama, "for-all")
    choose(change, ollama, "for-home", space)

    found = [chosen_model(Purpose.CHAT, one) for one in (space, other_space)]

    assert [one and (one.model, one.for_space) for one in found] == [
        ("for-home", True),
        ("for-all", False),
    ]
    assert found[0] is not None
    assert found[0].configuration == {
        "base_url": LOCAL,
        "api_key": KEY,
        "model": "for-home",
        "prices": (1.0, 2.0),
        "public_only": False,
    }
    assert KEY not in repr(found[0])
    assert chosen_model(Purpose.ASSESS, space) is None
    remove_choice(purpose="chat", space=space, change=change)
    after = chosen_model(Purpose.CHAT, space)
    assert after is not None
    assert after.model == "for-all"


def test_the_environment_comes_first(
    space: Space, change: Change, ollama: ModelConnection, settings: Settings
) -> None:
    choose(change, ollama, "for-home", space)
    settings.OPENAI_API_KEY, settings.EBB_CHAT_MODEL = "sk-env", "from-env"

    found = chosen_model(Purpose.CHAT, space)

    assert found is not None
    assert (found.model, found.api_key, found.connection) == ("from-env", "sk-env", None)


def test_a_model_is_replaced_by_the_next_choice(
    space: Space, change: Change, ollama: ModelConnection
) -> None:
    choose(change, ollama, "first")
    choose(change, ollama, "second")

    assert ModelChoice.objects.get().model == "second"
    delete_connection(connection_id=ollama.pk, change=change)
    assert chosen_model(Purpose.CHAT, space) is None
    assert not ModelChoice.objects.exists()


def test_every_change_is_audited_without_the_key(
    space: Space, change: Change, ollama: ModelConnection
) -> None:
    change_connection(connection_id=ollama.pk, change=change, key="sk-another-key-altogether")
    choose(change, ollama, "small")
    choose(change, ollama, "own", space)
    remove_choice(purpose="chat", space=None, change=change)
    delete_connection(connection_id=ollama.pk, change=change)

    of_all = InstallationAuditEntry.objects.order_by("pk")
    assert [(entry.action, entry.subject) for entry in of_all] == [
        ("connection.added", "Ollama"),
        ("connection.changed", "Ollama"),
        ("model.chosen", "small"),
        ("model.unchosen", "small"),
        ("connection.deleted", "Ollama"),
    ]
    of_space = AuditEntry.objects.in_space(space).filter(action__startswith="model.")
    assert [(entry.action, entry.subject) for entry in of_space] == [("model.chosen", "own")]
    assert "sk-" not in str([entry.detail for entry in (*of_all, *of_space)])


def test_a_key_is_sealed_and_survives_a_rotation(
    space: Space, ollama: ModelConnection, settings: Settings
) -> None:
    assert KEY not in ollama.sealed_key
    before = settings.SECRET_KEY
    settings.SECRET_KEY = "a new secret key of this installation"
    assert key_of(ollama) == ""
    with pytest.raises(CommandError, match="Ollama"):
        call_command("reseal_keys", stdout=StringIO())
    settings.SECRET_KEY_FALLBACKS = [before]
    assert key_of(ollama) == KEY
    said = StringIO()
    call_command("reseal_keys", stdout=said)
    settings.SECRET_KEY_FALLBACKS = []
    ollama.refresh_from_db()
    assert key_of(ollama) == KEY
    assert "1" in said.getvalue()


def test_a_changed_seal_is_not_opened() -> None:
    sealed = seal(KEY)
    assert seal("") == unseal("") == ""
    assert sealed != seal(KEY)
    with pytest.raises(Unreadable):
        unseal(sealed[:-8] + "AAAAAAA=")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "   "),
        ("name", "x" * 61),
        ("name", "ollama"),
        ("base_url", "localhost:11434"),
        ("base_url", "ftp://models.example/v1"),
        ("base_url", "https://me:secret@models.example/v1"),
        ("base_url", "https://models.example/v1?key=secret"),
        ("key", "two\nlines"),
        ("key", "schlüssel"),
        ("preset", "nobody"),
        ("price_prompt", -1.0),
        ("price_completion", float("nan")),
    ],
)
def test_a_wrong_field_is_named_and_nothing_is_written(
    change: Change, ollama: ModelConnection, field: str, value: object
) -> None:
    fields = {"name": "Second", "base_url": "http://127.0.0.1:1/v1", field: value}

    with pytest.raises(InvalidArguments) as refused:
        add_connection(change=change, **fields)  # type: ignore[arg-type]  # wrong on purpose

    assert [error.field for error in refused.value.errors] == [field]
    assert ModelConnection.objects.count() == 1


def test_a_stored_key_does_not_go_to_another_server(
    change: Change, ollama: ModelConnection
) -> None:
    with pytest.raises(InvalidArguments) as refused:
        change_connection(
            connection_id=ollama.pk, change=change, base_url="https://evil.example/v1"
        )
    assert [error.field for error in refused.value.errors] == ["key"]
    change_connection(connection_id=ollama.pk, change=change, base_url=LOCAL + "/other")
    ollama.refresh_from_db()
    assert (ollama.base_url, key_of(ollama)) == (LOCAL + "/other", KEY)


def test_private_addresses_may_be_forbidden(
    change: Change, ollama: ModelConnection, settings: Settings
) -> None:
    settings.EBB_PRIVATE_ENDPOINTS = False
    for address in (LOCAL, "http://localhost:1/v1", "http://10.0.0.1/v1", "http://[::1]/v1"):
        with pytest.raises(InvalidArguments, match="private network"):
            add_connection(change=change, name="Inside", base_url=address)


def test_unknown_connections_and_choices_are_not_found(
    change: Change, ollama: ModelConnection
) -> None:
    with pytest.raises(NotFound):
        change_connection(connection_id=uuid4(), change=change, name="x")
    with pytest.raises(NotFound):
        delete_connection(connection_id=uuid4(), change=change)
    with pytest.raises(NotFound):
        remove_choice(purpose="chat", space=None, change=change)
    for purpose, model in (("dance", "small"), ("chat", "  "), ("chat", "a\nb")):
        with pytest.raises(InvalidArguments):
            choose_model(
                purpose=purpose,
                space=None,
                connection_id=ollama.pk,
                model=model,
                change=change,
            )


def test_a_failure_keeps_its_first_time_until_a_success(
    change: Change, ollama: ModelConnection
) -> None:
    later = timezone.now()
    record_failure(connection=ollama, error="first", now=change.now)
    record_failure(connection=ollama, error="second", now=later)
    ollama.refresh_from_db()
    assert (ollama.failure, ollama.failing_since) == ("second", change.now)
    record_success(connection=ollama)
    ollama.refresh_from_db()
    assert (ollama.failure, ollama.failing_since) == ("", None)
