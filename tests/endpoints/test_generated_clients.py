"""Clients that generators write from the OpenAPI document: they import, and they work."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.serializers.json import DjangoJSONEncoder

from accounts.models import Space
from config.api import api
from memory.models import Memory
from tests.conftest import MakeKey
from tests.processes import Web

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]

PYTHON = """
import importlib, os, pkgutil
import ebb_generated
from ebb_generated import AuthenticatedClient
from ebb_generated.api.memories import create_memory, search_memories
from ebb_generated.api.policy import get_policy
from ebb_generated.models import CreatedOut, MemoryAsked, PolicyOut, SearchIn, SearchOut

for module in pkgutil.walk_packages(ebb_generated.__path__, "ebb_generated."):
    importlib.import_module(module.name)
with AuthenticatedClient(os.environ["EBB_URL"], os.environ["EBB_KEY"], timeout=90) as client:
    made = create_memory.sync(client=client, body=MemoryAsked(content="User likes pizza"))
    assert isinstance(made, CreatedOut), made
    found = search_memories.sync(client=client, body=SearchIn(query="What does the user eat?"))
    assert isinstance(found, SearchOut), found
    assert found.results[0].memory.id == made.id
    assert isinstance(get_policy.sync(client=client), PolicyOut)
print("works")
"""
TYPESCRIPT = """
import type { components, paths } from "./ebb";
type Schemas = components["schemas"];
export const draft: Schemas["MemoryAsked"] = { content: "User likes pizza" };
export const search: Schemas["SearchIn"] = { query: "pizza" };
export const message: Schemas["ChatIn"] = { message: "Hello" };
export const key: Schemas["KeyIn"] = { scopes: ["read"] };
type Saved = paths["/api/v1/memories"]["post"]["responses"][201]["content"]["application/json"];
export const id = (saved: Saved): string => saved.id;
"""


def tool(name: str, package: str) -> str:
    """The path of a generator; the test is skipped where it is not installed."""
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        pytest.skip(f"There is no {name} here: {package}")
    return found


@pytest.fixture
def document(tmp_path: Path) -> Path:
    file = tmp_path / "openapi.json"
    # sorted, as a dictionary's order must not matter to a generator
    file.write_text(json.dumps(api.get_openapi_schema(), cls=DjangoJSONEncoder, sort_keys=True))
    return file


def test_a_generated_python_client_works(
    web: Web, key: MakeKey, space: Space, document: Path, tmp_path: Path
) -> None:
    generator = tool("openapi-python-client", "pip install openapi-python-client")
    package = tmp_path / "ebb_generated"
    paths = ["--path", str(document), "--output-path", str(package)]
    command = [generator, "generate", *paths, "--meta", "none"]
    made = subprocess.run(command, capture_output=True, text=True)
    assert made.returncode == 0, made.stdout

    variables = {"EBB_URL": web.url, "EBB_KEY": key()}
    imports = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    ran = subprocess.run(
        [sys.executable, "-c", PYTHON],
        env=os.environ | variables | {"PYTHONPATH": imports},
        capture_output=True,
        text=True,
    )
    assert ran.stdout == "works\n", ran.stderr
    assert Memory.objects.in_space(space).get().content == "User likes pizza"


def test_generated_typescript_types_compile(document: Path, tmp_path: Path) -> None:
    install = "npm install --global openapi-typescript typescript"
    generator, compiler = tool("openapi-typescript", install), tool("tsc", install)
    types, use = tmp_path / "ebb.d.ts", tmp_path / "use.ts"
    use.write_text(TYPESCRIPT)
    for command in (
        [generator, str(document), "-o", str(types)],
        [compiler, "--noEmit", "--strict", str(use)],
    ):
        ran = subprocess.run(command, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stdout + ran.stderr
