"""A variable that makes no sense is refused with one line that names it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.environment import Environment
from operations.database import database_entry

Reader = Callable[[Environment], object]

READERS: dict[str, Reader] = {
    "text": lambda env: env.text("IT", "usual"),
    "yes": lambda env: env.yes("IT", default=True),
    "whole": lambda env: env.whole("IT", 10, most=65_535),
    "whole_or_none": lambda env: env.whole_or_none("IT", most=65_535),
    "prices": lambda env: env.prices("IT"),
    "hosts": lambda env: env.hosts("IT"),
    "origins": lambda env: env.origins("IT"),
    "address": lambda env: env.address("IT"),
    "group_roles": lambda env: env.group_roles("IT"),
    "one_of": lambda env: env.one_of("IT", ("DEBUG", "INFO"), "INFO"),
}


@pytest.mark.parametrize(
    ("kind", "given", "read"),
    [
        ("text", "", "usual"),
        ("text", " a word\n", "a word"),
        ("text", "$5-a-word", "$5-a-word"),  # not the name of another variable
        ("yes", "", True),
        ("yes", "Off", False),
        ("yes", "1", True),
        ("whole", "", 10),
        ("whole", "65535", 65_535),
        ("whole_or_none", " ", None),
        ("prices", "", None),
        ("prices", "0.15, 0.6", (0.15, 0.6)),
        ("prices", "0,0", (0.0, 0.0)),
        ("hosts", "ebb.example, .example,[::1],*,", ["ebb.example", ".example", "[::1]", "*"]),
        ("origins", "https://ebb.example:8443", ["https://ebb.example:8443"]),
        ("address", "https://login.example.org/realms/a", "https://login.example.org/realms/a"),
        ("address", "", ""),
        (
            "group_roles",
            "ebb-all=demo:viewer, /Team A=my-space:owner",
            [("ebb-all", "demo", "viewer"), ("/Team A", "my-space", "owner")],
        ),
        ("one_of", "debug", "DEBUG"),
        ("one_of", "", "INFO"),
    ],
)
def test_what_makes_sense_is_read(
    monkeypatch: pytest.MonkeyPatch, kind: str, given: str, read: object
) -> None:
    monkeypatch.setenv("IT", given)

    assert READERS[kind](Environment()) == read


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("yes", "ja"),
        ("yes", "2"),
        ("whole", "many"),
        ("whole", "0"),
        ("whole", "-1"),
        ("whole", "65536"),
        ("whole", "1.5"),
        ("whole_or_none", "none"),
        ("prices", "cheap,1"),
        ("prices", "-1,1"),
        ("prices", "1,nan"),
        ("prices", "1,inf"),
        ("prices", "0.15"),
        ("hosts", "https://ebb.example"),
        ("hosts", "ebb.example:8000"),
        ("origins", "ebb.example"),
        ("origins", "https://ebb.example/"),
        ("address", "login.example.org"),
        ("address", "https://login.example.org/?a=b"),
        ("group_roles", "staff=demo"),
        ("group_roles", "staff=demo:admin"),
        ("group_roles", "=demo:viewer"),
        ("group_roles", "staff=a demo:viewer"),
        ("one_of", "loud"),
    ],
)
def test_what_makes_none_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, kind: str, given: str
) -> None:
    monkeypatch.setenv("IT", given)

    with pytest.raises(ImproperlyConfigured, match=r"^IT is '.+'; it must ") as refusal:
        READERS[kind](Environment())
    assert given in str(refusal.value).lower()


def test_a_secrets_file_that_cannot_be_read_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("IT_FILE", str(tmp_path / "missing"))
    with pytest.raises(ImproperlyConfigured, match="in IT_FILE cannot be read: No such file"):
        Environment().text("IT")

    monkeypatch.setenv("IT_FILE", str(tmp_path / "there"))
    (tmp_path / "there").write_bytes(b"\xff\xfe")
    with pytest.raises(ImproperlyConfigured, match="in IT_FILE cannot be read: it is not text"):
        Environment().text("IT")


@pytest.mark.parametrize(
    "address", ["postgresql://ebb:secret@h:port/ebb", "postgresql://ebb:secret@h"]
)
def test_a_database_address_is_refused_without_its_password(address: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="^DATABASE_URL must look like") as refusal:
        database_entry(address)
    assert "secret" not in str(refusal.value)
