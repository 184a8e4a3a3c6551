"""The shape of the project: what holds it together is checked, not remembered."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from io import StringIO
from pathlib import Path, PurePath

import grimp
import pytest
from django.conf import settings
from django.core.management import call_command
from django.db.models import CheckConstraint, ForeignKey, UniqueConstraint

from accounts.models.space_rows import SpaceRow
from tests.packages import PACKAGES
from tests.space_names import models_of_a_space

ROOT: Path = settings.BASE_DIR


def sources() -> Iterator[Path]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path


def documented_sources() -> Iterator[Path]:
    yield from sources()
    for folder in ("benchmarks", "screenshots", "tests", "clients/python/ebb_client"):
        yield from sorted((ROOT / folder).rglob("*.py"))


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    """Return all nodes of a file of Python."""
    return list(ast.walk(ast.parse(path.read_text("utf-8"))))


def test_imports_go_one_way() -> None:
    # A process of its own: import-linter configures logging, and that silences all loggers here.
    lint = Path(sys.executable).with_name("lint-imports")
    checked = subprocess.run([lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout


def test_no_file_imports_itself_in_a_circle() -> None:
    graph = grimp.build_graph("memory", "assessor", "chat", cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}

    assert len(imports) > 300
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        pytest.fail(" → ".join(error.args[1]))


def test_every_per_space_table_names_its_space() -> None:
    models = models_of_a_space()

    assert {model.__name__ for model in models} >= {
        "Memory", "MemoryEmbedding", "MemoryEvent", "MemoryRevision", "PolicyVersion",
        "Assessment", "Conversation", "Message",
    }  # fmt: skip
    for model in models:
        space = model._meta.get_field("space")
        assert isinstance(space, ForeignKey), model
        assert not space.null, model
        assert space.column == "space_id", model
        assert issubclass(model, SpaceRow), model


def test_unique_constraints_of_per_space_tables_contain_the_space() -> None:
    for model in models_of_a_space():
        for constraint in model._meta.constraints:
            assert isinstance(constraint, UniqueConstraint | CheckConstraint), constraint
            if isinstance(constraint, UniqueConstraint):
                assert "space" in constraint.fields, constraint
        alone = [field.name for field in model._meta.fields if getattr(field, "unique", False)]
        assert alone == [model._meta.pk.name], model
        assert not model._meta.unique_together, model


@pytest.mark.django_db
def test_migrations_say_what_the_models_say() -> None:
    report = StringIO()

    try:
        call_command("makemigrations", check=True, dry_run=True, stdout=report)
    except SystemExit:
        pytest.fail(f"a migration is missing:\n{report.getvalue()}")


def test_modules_are_short() -> None:
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in sources()}

    assert len(lengths) > 50
    assert {path: n for path, n in lengths.items() if n > 300} == {}


def test_functions_are_short() -> None:
    functions = {
        f"{path.relative_to(ROOT)}:{node.name}": (node.end_lineno or 0) - node.lineno + 1
        for path in sources()
        for node in nodes_of(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }

    assert len(functions) > 200
    assert {name: n for name, n in functions.items() if n > 30} == {}


DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]
_FOLDERS = "|".join(
    [*PACKAGES, "benchmarks", "clients", "docs", "locale", "ops", "static", "templates", "tests"]
)
# A path from the top, or the end of one: `docs/look.md`, `head.py`, `chat/_options.html`.
_NAMED = re.compile(
    rf"(?<![\w/.*<>-])((?:{_FOLDERS})/[\w./-]*[\w/]|\w[\w./-]*\.(?:css|html|js|md|py|toml))(?![\w*<])"
)
_LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")


def paths() -> set[PurePath]:
    """The project's files and the folders that hold them."""
    found = [
        *ROOT.glob("*.*"),
        *(p for name in _FOLDERS.split("|") for p in ROOT.glob(f"{name}/**/*")),
    ]
    files = [p.relative_to(ROOT) for p in found if p.is_file() and p.suffix != ".pyc"]
    return {path for file in files for path in (file, *file.parents)}


def anchors(document: Path) -> set[str]:
    """The names of the document's headings in links."""
    headings = re.findall(r"^#+ (.+)$", document.read_text("utf-8"), re.M)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_documents_name_files_that_exist() -> None:
    endings = {path.parts[n:] for path in paths() for n in range(len(path.parts))}
    named = {
        (document.name, name)
        for document in DOCUMENTS
        for name in _NAMED.findall(re.sub(r"https?://\S+", "", document.read_text("utf-8")))
    }

    assert len(named) > 200
    assert [pair for pair in named if PurePath(pair[1]).parts not in endings] == []


def test_links_of_documents_lead_somewhere() -> None:
    for document in DOCUMENTS:
        for path, anchor in _LINK.findall(document.read_text("utf-8")):
            target = document.parent / path if path else document
            assert target.exists(), (document.name, path)
            assert not anchor or anchor in anchors(target), (document.name, path, anchor)


RIDDLE = re.compile(
    r"(What|Who|Whom|Whose|Whoever|Whatever|Whether|Those|Which|Where|Nobody|Somebody|How|Why|When)\b"
)


def test_docstrings_do_not_begin_with_a_relative_clause() -> None:
    documented = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)
    riddles = [
        f"{path.relative_to(ROOT)}: {text.splitlines()[0]}"
        for path in documented_sources()
        for node in nodes_of(path)
        if isinstance(node, documented) and (text := ast.get_docstring(node) or "")
        if RIDDLE.match(text)
    ]

    assert riddles == []


FORBIDDEN_MARKUP = {
    "inline script": re.compile(r"<script(?![^>]*\ssrc=)(?![^>]*application/json)", re.I),
    "inline style": re.compile(r"<style|\sstyle\s*=", re.I),
    "event handler": re.compile(r"\s(on[a-z]+|hx-on[\w:-]*)\s*=", re.I),
    "javascript address": re.compile(r"=\s*[\"']?\s*javascript:", re.I),
    "evaluated by htmx": re.compile(
        r"hx-(vals|headers)\s*=\s*[\"']\s*js:|hx-trigger=[^>]*\[", re.I
    ),
}


@pytest.mark.parametrize("name", FORBIDDEN_MARKUP)
def test_templates_have_nothing_a_strict_policy_would_block(name: str) -> None:
    templates = [path for path in ROOT.glob("*/**/*.html") if ".venv" not in path.parts]
    made = (".", "build")
    templates = [path for path in templates if not path.parts[len(ROOT.parts)].startswith(made)]
    templates = [path for path in templates if "node_modules" not in path.parts]

    assert len(templates) > 20
    pattern = FORBIDDEN_MARKUP[name]
    found = {
        str(path.relative_to(ROOT)): match.group()
        for path in templates
        if (match := pattern.search(path.read_text("utf-8")))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("name", "markup"),
    [
        ("inline script", "<script>alert(1)</script>"),
        ("inline script", '<script type="module">'),
        ("inline style", '<p style="color: red">'),
        ("event handler", '<a onclick="go()">'),
        ("event handler", '<a hx-on:click="go()">'),
        ("javascript address", '<a href="javascript:go()">'),
        ("evaluated by htmx", "<a hx-vals='js:{a: 1}'>"),
    ],
)
def test_the_patterns_see_what_they_are_for(name: str, markup: str) -> None:
    assert FORBIDDEN_MARKUP[name].search(markup)
