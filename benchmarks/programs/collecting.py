"""Collects the prompts of programs from clones of their repositories.

A prompt is a text of at least 15 words in a file, or under a name, that says so. Only names decide
which texts are prompts, so that prompts that the gate misses are not left out.
"""

import ast
import re
import subprocess
import textwrap
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

_NAMED = re.compile(r"prompt|template|instruct|system|task|rubric", re.IGNORECASE)
_PATH = re.compile(r"prompt|template|instruction", re.IGNORECASE)
_SKIPPED = re.compile(
    r"(?:^|/)(?:tests?|__tests__|docs?|cookbook|notebooks?|examples?|benchmarks?|evals?|i18n"
    r"|locales?|migrations|\.github|releasenotes|website|static|assets|dist|e2e|cli)(?:/|$|\.)"
    r"|test_|examples?\.|\.(?:test|spec)\.|\.d\.ts$|readme|changelog",
    re.IGNORECASE,
)
_CODE = re.compile(r"\.(?:py|ts|js|mjs)$")
_TEXT = re.compile(
    r"prompts?/.*\.(?:txt|md|j2|jinja2?|prompt)$|prompts?[\w-]*\.(?:txt|md|j2|jinja2?)$"
)
_YAML = re.compile(r"prompts?[\w-]*(?:/.*)?\.ya?ml$")
# Names of texts for people, and of values in examples
_NO_PROMPT = re.compile(
    r"description|help|success|error|cancel|css|html|class_?name|placeholder|usage|sql|url|query$"
    r"|example|sample|docstring|_msg$|warning|title$|label|setup|source$|question$|passage"
    r"|^(?:special_|task_)?instruction$|criteria|paragraph|_input$|_output$|demo|sep$|prefix|suffix|answer$|^content_type",
    re.IGNORECASE,
)
_NO_TEXT = ("<!DOCTYPE", "<html", "import ", "#!/", "<svg", "http", "from ", "class ", '{"')
_TYPESCRIPT = re.compile(
    r"(?P<name>[\w.]+)(?:\s*:\s*[\w<>\[\]|]+)?\s*[=:]\s*(?:\([^()]*\)\s*=>\s*)?"
    r"(?:`(?P<back>(?:[^`\\]|\\.)*)`|'(?P<single>(?:[^'\\\n]|\\.){80,})'"
    r'|"(?P<double>(?:[^"\\\n]|\\.){80,})")'
)
_YAML_BLOCK = re.compile(
    r"^(?P<indent> *)(?:- +)?(?P<name>[\w-]+): *[|>][-+\d]*[ ]*\n"
    r"(?P<text>(?:(?P=indent) +[^\n]*\n|[ ]*\n)+)",
    re.MULTILINE,
)
_LEAST_WORDS, _MOST_CHARACTERS = 15, 24_000
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")
_SYSTEM = re.compile(r"system|sys_", re.IGNORECASE)


@dataclass(frozen=True)
class Template:
    """A prompt from a repository, with its placeholders."""

    repository: str
    file: str
    name: str
    text: str

    @property
    def is_system(self) -> bool:
        """Return whether its name calls it a system prompt."""
        return bool(_SYSTEM.search(f"{Path(self.file).name} {self.name}"))


def templates_of(clone: Path) -> list[Template]:
    """Return the prompts of a cloned repository, each once."""
    listed = _git(clone, "ls-tree", "-r", "--name-only", "HEAD").decode().splitlines()
    wanted = [file for file in listed if not _SKIPPED.search(file) and _reader(file)]
    found: dict[str, Template] = {}
    for file, source in _read(clone, wanted):
        for name, text in _named_texts(file, source):
            if _is_prompt(name, text):
                key = " ".join(text.split())[:150]
                found.setdefault(key, Template(clone.name, file, name, text.strip("\n")))
    return list(found.values())


def _named_texts(file: str, source: str) -> Iterator[tuple[str, str]]:
    reader = _reader(file)
    return reader(file, source) if reader else iter(())


def _is_prompt(name: str, text: str) -> bool:
    if _NO_PROMPT.search(name) or text.lstrip().startswith(_NO_TEXT):
        return False
    marks = len(re.findall(r"[;{}=<>]", text))
    enough = len(_WORD.findall(text)) >= _LEAST_WORDS and len(text) <= _MOST_CHARACTERS
    return enough and marks < len(text) / 12


def _reader(file: str) -> Callable[[str, str], Iterator[tuple[str, str]]] | None:
    if _CODE.search(file):
        return _of_python if file.endswith(".py") else _of_typescript
    return _of_text if _TEXT.search(file) else _of_yaml if _YAML.search(file) else None


def _of_text(file: str, source: str) -> Iterator[tuple[str, str]]:
    yield Path(file).stem, source


def _of_yaml(file: str, source: str) -> Iterator[tuple[str, str]]:
    for block in _YAML_BLOCK.finditer(source):
        yield block["name"], textwrap.dedent(block["text"])


def _of_typescript(file: str, source: str) -> Iterator[tuple[str, str]]:
    for found in _TYPESCRIPT.finditer(source):
        if _PATH.search(file) or _NAMED.search(found["name"]):
            text = found["back"] or found["single"] or found["double"] or ""
            yield found["name"], text.replace("\\`", "`").replace("\\n", "\n").replace("\\'", "'")


def _of_python(file: str, source: str) -> Iterator[tuple[str, str]]:
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        for name, value in _named_values(node):
            if _PATH.search(file) or _NAMED.search(name):
                yield name, _text_of(value)


def _named_values(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    match node:
        case ast.Assign(targets=[target, *_], value=value):
            yield ast.unparse(target), value
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield ast.unparse(target), value
        case ast.keyword(arg=str() as name, value=value):
            yield name, value
        case ast.Return(value=ast.expr() as value):
            yield "return", value
        case ast.Dict(keys=keys, values=values):
            for key, value in zip(keys, values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value, value


def _text_of(node: ast.expr) -> str:
    """Return the text of an expression, with `{name}` in the places of values; "" if none."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.JoinedStr(values=values):
            return "".join(
                str(value.value)
                if isinstance(value, ast.Constant)
                else "{" + re.sub(r"[{}\n\"]", "", ast.unparse(value))[:50] + "}"
                for value in values
            )
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _text_of(left) + _text_of(right)
        case ast.Call(func=ast.Attribute(value=value)) if _text_of(value):
            return _text_of(value)
        case ast.Call(args=[first, *_]):
            return _text_of(first)
    return ""


def _git(clone: Path, *arguments: str, sent: str = "") -> bytes:
    command = ["git", "-C", str(clone), *arguments]
    return subprocess.run(command, input=sent.encode(), capture_output=True, check=True).stdout


def _read(clone: Path, files: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the files of the newest commit with their text."""
    names = "".join(f"HEAD:{file}\n" for file in files)
    answer = _git(clone, "cat-file", "--batch", sent=names)
    place = 0
    for file in files:
        end = answer.index(b"\n", place)
        head = answer[place:end].split()
        size = -1 if head[-1] == b"missing" else int(head[2])
        yield file, answer[end + 1 : end + 1 + size].decode("utf-8", "replace")
        place = end + 2 + size if size >= 0 else end + 1
