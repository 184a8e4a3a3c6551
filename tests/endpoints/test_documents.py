"""Each example that a document marks `<!-- tested -->` is run as it stands there.

It must succeed, and what follows `tested: ` must be in what it prints. Addresses become those of
the test's web server, and the interpreter the one that runs the tests; nothing else is changed.
"""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass

import pytest
from django.conf import settings

from accounts.models import Space
from foundation.actors import SYSTEM
from memory.models import Memory
from memory.spaces.services import create_space
from tests.conftest import MakeKey
from tests.memory.writing import remember
from tests.processes import Web, test_database_url

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]

DOCUMENTS = [
    "README.md", "docs/api.md", "docs/openai-endpoint.md", "docs/mem0.md",
    "clients/python/README.md",
]  # fmt: skip
EXAMPLE = re.compile(
    r"<!-- tested(?:: (?P<prints>.+?))? -->\n```(?P<language>\w+)\n(?P<text>.*?)^```$", re.S | re.M
)


@dataclass(frozen=True)
class Example:
    document: str
    number: int
    language: str
    text: str
    prints: str

    def __str__(self) -> str:
        return f"{self.document}-{self.number}-{self.language}"


def examples(document: str) -> list[Example]:
    text = (settings.BASE_DIR / document).read_text("utf-8")
    assert text.count("<!-- tested") == len(EXAMPLE.findall(text)), document
    return [
        Example(document, number, found["language"], found["text"], found["prints"] or "")
        for number, found in enumerate(EXAMPLE.finditer(text), 1)
    ]


@pytest.fixture
def demo(space: Space) -> Space:
    """The space the examples are written for."""
    made = create_space(slug="demo", name="Demo", embedder=space.embedder, actor=SYSTEM)
    remember(made, "User likes pizza", memory_type="preference")
    return made


@pytest.mark.parametrize("document", DOCUMENTS)
def test_documents_have_examples(document: str) -> None:
    assert examples(document)


QUICK_STARTS = [e for d in DOCUMENTS for e in examples(d) if "User likes pizza" in e.text]


def test_quick_starts_in_order_leave_one_memory(web: Web, key: MakeKey, space: Space) -> None:
    demo = create_space(slug="demo", name="Demo", embedder=space.embedder, actor=SYSTEM)
    for example in QUICK_STARTS:
        assert run(example, web, key(demo, ["read", "write"])).returncode == 0

    saved = Memory.objects.in_space(demo).live().values_list("content", flat=True)
    assert list(saved) == ["User likes pizza"]


@pytest.mark.parametrize("example", [e for d in DOCUMENTS for e in examples(d)], ids=str)
def test_example_runs_and_prints_what_it_should(
    web: Web, key: MakeKey, demo: Space, example: Example
) -> None:
    if example.language != "python" and shutil.which("curl") is None:
        pytest.skip("There is no curl.")

    ran = run(example, web, key(demo, ["read", "write"]))

    assert ran.returncode == 0, ran.stderr
    assert example.prints in ran.stdout
    assert '"code":' not in ran.stdout, "an error was answered"


def run(example: Example, web: Web, secret: str) -> subprocess.CompletedProcess[str]:
    text = example.text.replace("http://127.0.0.1:8000", web.url)
    if example.language == "python":
        command = [sys.executable, "-W", "error", "-c", text]
    else:
        command = ["sh", "-eu", "-c", text.replace(".venv/bin/python", sys.executable)]
    variables = {
        "EBB_URL": web.url,
        "EBB_KEY": secret,
        "PYTHONPATH": str(settings.BASE_DIR / "clients" / "python"),
        "DATABASE_URL": test_database_url(),
        "EBB_DATA_DIR": str(settings.EBB_DATA_DIR),
    }

    return subprocess.run(
        command, env=os.environ | variables, cwd=settings.BASE_DIR, capture_output=True, text=True
    )
