"""Every variable that the settings read is described, and every described one is read."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from operations.local_files import keep_secret_key, note_data_dir
from tests.packages import PACKAGES

ROOT: Path = settings.BASE_DIR


def read_by_settings() -> set[str]:
    """The names in `env.xxx("NAME")`."""
    tree = ast.parse((ROOT / "config" / "settings.py").read_text("utf-8"))
    return {
        node.args[0].value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "env"
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    }


def described() -> set[str]:
    """The names in the first column of the tables of docs/configuration.md."""
    text = (ROOT / "docs" / "configuration.md").read_text("utf-8")
    first_columns = re.findall(r"^\|([^|]+)\|", text, re.M)
    return {name for column in first_columns for name in re.findall(r"`([A-Z][A-Z0-9_]+)`", column)}


def test_every_variable_is_described_and_every_described_one_is_read() -> None:
    read = read_by_settings()

    assert {"EBB_DATA_DIR", "DATABASE_URL", "OPENAI_API_KEY"} <= read
    assert described() == read


def test_environment_is_read_in_the_settings_only() -> None:
    """operations/ also writes variables for the processes that it starts, and sets the settings'
    module. Neither reads a setting."""
    reading = re.compile(r"os\.getenv|environ\.get\(|environ\[[^\]]+\](?!\s*=)|\benv\.\w+\(")
    allowed = {ROOT / "config" / "settings.py"}
    sources = [
        path
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if path not in allowed
    ]

    assert [path for path in sources if reading.search(path.read_text("utf-8"))] == []


def settings_with(tmp_path: Path, *names: str, **environment: str) -> dict[str, object]:
    """The settings of these names in a new process with this environment."""
    code = (
        "import json, sys; from config import settings;"
        "print(json.dumps({n: getattr(settings, n) for n in sys.argv[1:]}, default=str))"
    )
    kept = {name: value for name, value in os.environ.items() if name in {"PATH", "HOME", "LANG"}}
    answer = subprocess.run(
        [sys.executable, "-c", code, *names],
        cwd=ROOT,
        env=kept | {"EBB_DATA_DIR": str(tmp_path)} | environment,
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    values: dict[str, object] = json.loads(answer.stdout)
    return values


def test_secrets_may_come_from_files(tmp_path: Path) -> None:
    secrets = {
        "OPENAI_API_KEY": "sk-from-file",
        "SECRET_KEY": "key-from-file",
        "DATABASE_URL": "postgres://user:word@db.example/ebb",
    }
    for name, secret in secrets.items():
        (tmp_path / name).write_text(secret)

    values = settings_with(
        tmp_path, *secrets, **{f"{name}_FILE": str(tmp_path / name) for name in secrets}
    )

    assert values == secrets


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("0.0.0.0", "http://127.0.0.1:8123"),
        ("::1", "http://[::1]:8123"),
    ],
)
def test_address_is_one_a_browser_can_open(tmp_path: Path, host: str, url: str) -> None:
    values = settings_with(tmp_path, "EBB_URL", EBB_HOST=host, EBB_PORT="8123")

    assert values == {"EBB_URL": url}


@pytest.mark.parametrize(
    ("origins", "url"),
    [
        ("https://*.example,https://ebb.example,https://old.example", "https://ebb.example"),
        ("https://*.example", "http://127.0.0.1:8000"),
        ("", "http://127.0.0.1:8000"),
    ],
)
def test_links_use_the_first_trusted_origin(tmp_path: Path, origins: str, url: str) -> None:
    values = settings_with(tmp_path, "EBB_URL", "LOCAL_URL", EBB_TRUSTED_ORIGINS=origins)

    assert values == {"EBB_URL": url, "LOCAL_URL": "http://127.0.0.1:8000"}


def test_the_home_has_the_env_file_and_the_data(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("EBB_PORT=8123\n")
    names = ("EBB_PORT", "EBB_DATA_DIR", "EBB_RUN_DIR")

    values = settings_with(tmp_path, *names, EBB_HOME=str(tmp_path), EBB_DATA_DIR="data")

    assert values == {
        "EBB_PORT": 8123,
        "EBB_DATA_DIR": str(tmp_path / "data"),
        "EBB_RUN_DIR": str(tmp_path / "data" / "run"),
    }


def test_with_nothing_set_ebb_stands_on_its_data_folder(tmp_path: Path) -> None:
    keep_secret_key(tmp_path)
    names = ("EBB_EMBEDDED_POSTGRES", "DATABASE_URL", "SECRET_KEY", "DEBUG", "OPENAI_BASE_URL")

    values = settings_with(tmp_path, *names)

    assert values["EBB_EMBEDDED_POSTGRES"] is True
    assert str(tmp_path / "postgres") in str(values["DATABASE_URL"])
    assert values["SECRET_KEY"] == (tmp_path / "secret_key").read_text()
    assert len(str(values["SECRET_KEY"])) >= 40
    assert (values["DEBUG"], values["OPENAI_BASE_URL"]) == (False, "")


def test_secret_key_is_made_once_and_for_its_owner_only(tmp_path: Path) -> None:
    keep_secret_key(tmp_path)
    first = (tmp_path / "secret_key").read_text()

    keep_secret_key(tmp_path)

    assert (tmp_path / "secret_key").read_text() == first
    assert (tmp_path / "secret_key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["secret_key"]


def test_assessor_asks_the_chat_model_unless_it_has_its_own(tmp_path: Path) -> None:
    values = settings_with(tmp_path, "EBB_ASSESSOR_MODEL", EBB_CHAT_MODEL="large")

    assert values == {"EBB_ASSESSOR_MODEL": "large"}


def embedding_settings(tmp_path: Path, **environment: str) -> list[object]:
    """Model, address and key."""
    names = ("MODEL", "BASE_URL", "API_KEY")
    values = settings_with(tmp_path, *(f"EBB_EMBEDDING_{name}" for name in names), **environment)
    return list(values.values())


def test_embeddings_come_from_the_chats_endpoint_unless_they_have_their_own(tmp_path: Path) -> None:
    chat = {"OPENAI_BASE_URL": "http://chat/v1", "OPENAI_API_KEY": "of the chat"}

    assert embedding_settings(tmp_path, **chat) == [
        "all-MiniLM-L6-v2", "http://chat/v1", "of the chat",
    ]  # fmt: skip
    # Another's address is not sent the chat's key.
    assert embedding_settings(
        tmp_path,
        **chat,
        EBB_EMBEDDING_PROVIDER="openai",
        EBB_EMBEDDING_BASE_URL="http://vectors/v1",
    ) == ["text-embedding-3-small", "http://vectors/v1", ""]


def used_data_dir(home: Path, command: str, **variables: str) -> str:
    """Return the data folder of a command in a process of its own, which does nothing else."""
    named = {"EBB_HOME": str(home), "DATABASE_URL": "", **variables}
    env = {k: v for k, v in os.environ.items() if k != "EBB_DATA_DIR"} | named
    program = (
        "from django.core import management; import manage\n"
        "management.execute_from_command_line = lambda arguments: None; manage.main()\n"
        "from django.conf import settings; print(settings.EBB_DATA_DIR)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, command],
        env=env, cwd=settings.BASE_DIR, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return ran.stdout.splitlines()[-1]


def test_a_command_finds_the_ebb_that_runs_in_another_data_folder(tmp_path: Path) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    usual = str(home / ".ebb")
    other.mkdir()
    (other / "run.lock").write_text(str(os.getpid()))
    assert used_data_dir(home, "login_link") == usual

    note_data_dir(home, other)
    assert used_data_dir(home, "login_link") == str(other)
    assert used_data_dir(home, "restore") == usual
    assert used_data_dir(home, "login_link", EBB_DATA_DIR=usual) == usual

    (home / ".ebb" / "run.lock").write_text(str(os.getpid()))
    assert used_data_dir(home, "login_link") == usual
    (home / ".ebb" / "run.lock").unlink()
    (other / "run.lock").write_text("")
    assert used_data_dir(home, "login_link") == usual
