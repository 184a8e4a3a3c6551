"""Finds every regular expression of the product, and texts that make a slow one slow."""

import ast
import dataclasses
import pkgutil
import random
import re
from collections import deque
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from re import _constants as ops  # type: ignore[attr-defined] # the standard library's own parser
from re import _parser as parser  # type: ignore[attr-defined]
from time import thread_time
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any

from tests.packages import PACKAGES

_MANY = 200  # a repetition of at least so many can make a pattern slow
_VARIANTS = 6  # of the beginning of a near-match
_RUNS = [*"aAz0 \n\t_-.,\"'“<[({@/:+=#>*`用户のéא", "\u200b", "\U0001f600"]
_RUNS += ["a ", "A ", "Ab ", "a1", "1 ", "1.", "a.", "a,", "a-", "-1", "a\n", " \n", "> a\n"]
_RUNS += ['"a', "'a", "<a", "</a>", "[A", "用 ", "。用", "A1", "a@", "x=", "a:", "1:", "my "]


def product_modules() -> Iterator[ModuleType]:
    """Yield every module of the product, except migrations, training and the running server."""
    for package in map(import_module, PACKAGES):
        yield package
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if found.name != "config.asgi" and not re.search(r"\.(migrations|train)", found.name):
                yield import_module(found.name)


def product_patterns() -> dict[str, re.Pattern[str]]:
    """Return the product's patterns by the name of the place of each.

    A pattern of bytes is returned as the same pattern of ASCII text.
    """
    found: dict[str, re.Pattern[Any]] = {}
    inline: dict[str, re.Pattern[Any]] = {}
    known: dict[int, object] = {}  # by id; kept, so that no other object gets the id
    for module in product_modules():
        for name, value in vars(module).items():
            for place, pattern in _within(value, f"{module.__name__}.{name}", known):
                found[place] = pattern
        if module.__file__:
            inline |= dict(_inline(module.__name__, Path(module.__file__)))
    compiled = {one.pattern for one in found.values()}
    found |= {place: one for place, one in inline.items() if one.pattern not in compiled}
    return {place: _of_text(one) for place, one in found.items()}


def _of_text(pattern: re.Pattern[Any]) -> re.Pattern[str]:
    if isinstance(pattern.pattern, str):
        return pattern
    return re.compile(pattern.pattern.decode("latin-1"), pattern.flags | re.ASCII)


def _within(
    value: object, place: str, known: dict[int, object]
) -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Yield the patterns in a value: in containers, in fields, in the classes of the product."""
    if id(value) in known or isinstance(value, str | bytes | int | float | ModuleType):
        return
    known[id(value)] = value
    if isinstance(value, re.Pattern):
        yield place, value
    elif isinstance(value, dict | MappingProxyType):
        for key, item in list(value.items()):
            yield from _within(item, f"{place}[{key!r:.40}]", known)
    elif isinstance(value, list | tuple | set | frozenset):
        for number, item in enumerate(value):
            yield from _within(item, f"{place}[{number}]", known)
    elif isinstance(value, FunctionType):
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        yield from _within(cells, place, known)
    elif str(getattr(value, "__module__", "")).partition(".")[0] in PACKAGES:
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
        else:
            fields = dict(getattr(value, "__dict__", {}))
        yield from _within(fields, place, known)


def _inline(module: str, file: Path) -> Iterator[tuple[str, re.Pattern[Any]]]:
    """Yield the constant patterns of calls such as `re.sub(r"…", …)` inside functions."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.args
            and isinstance(node.args[0], ast.Constant)
            and isinstance(node.args[0].value, str | bytes)
        ):
            yield f"{module}:{node.lineno}", re.compile(node.args[0].value)


@dataclasses.dataclass(frozen=True)
class SlowText:
    """A text of any size on which a badly written pattern is slow: one piece, again and again."""

    head: str
    piece: str
    tail: str = ""

    def of(self, size: int) -> str:
        """Return the text with so many characters."""
        body = self.head + self.piece * (size // len(self.piece) + 1)
        return body[: size - len(self.tail)] + self.tail


def slow_texts(pattern: re.Pattern[str]) -> list[SlowText]:
    """Return texts made for this pattern.

    Runs of one character of each class, runs of two, and near-matches: the beginning of a match,
    then a long run of whatever the pattern repeats there, and something else at the end.
    """
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    samples = [_sample(tree, random.Random(seed)) for seed in range(3)]
    texts = [SlowText("", piece) for piece in (*_RUNS, *samples) if piece]
    for seed in range(_VARIANTS):
        texts += _near_matches(tree, "", random.Random(seed))
    return list(dict.fromkeys(texts))


def _near_matches(tree: Any, before: str, rng: random.Random) -> Iterator[SlowText]:
    for op, argument in tree:
        if op in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
            _, most, inner = argument
            if most >= _MANY:
                for one in dict.fromkeys(_sample(inner, rng) or "a" for _ in range(3)):
                    yield SlowText(before, one, "\x00")
                    yield SlowText("", before + one * (50 // len(one) + 1))
                    yield SlowText("", before + one)
            yield from _near_matches(inner, before, rng)
        for inner in _inside(op, argument):
            yield from _near_matches(inner, before, rng)
        before = (before + _sample([(op, argument)], rng))[-200:]


def _inside(op: Any, argument: Any) -> list[Any]:
    if op is ops.BRANCH:
        return list(argument[1])
    if op is ops.SUBPATTERN:
        return [argument[3]]
    if op in (ops.ASSERT, ops.ASSERT_NOT):
        return [argument[1]]
    return [argument] if op is ops.ATOMIC_GROUP else []


def _sample(tree: Any, rng: random.Random) -> str:
    """Return a text that the tree matches, but for what it asserts about its surroundings."""
    return "".join(_one(op, argument, rng) for op, argument in tree)


def _one(op: Any, argument: Any, rng: random.Random) -> str:
    if op is ops.LITERAL:
        return chr(argument)
    if op is ops.IN:
        return _member(argument, rng)
    if op in (ops.ANY, ops.NOT_LITERAL):
        return "a"
    if op in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
        least, most, inner = argument
        return "".join(_sample(inner, rng) for _ in range(max(least, min(most, rng.randint(0, 2)))))
    if op in (ops.ASSERT, ops.ASSERT_NOT):
        return ""
    inside = _inside(op, argument)
    return _sample(rng.choice(inside), rng) if inside else ""


_OF_CATEGORY = {
    ops.CATEGORY_DIGIT: "7", ops.CATEGORY_SPACE: " ", ops.CATEGORY_WORD: "w",
    ops.CATEGORY_NOT_DIGIT: "x", ops.CATEGORY_NOT_SPACE: "x", ops.CATEGORY_NOT_WORD: "-",
}  # fmt: skip


def _member(members: Any, rng: random.Random) -> str:
    if members[0][0] is ops.NEGATE:
        taken = re.compile("[" + "".join(map(_as_class, members[1:])) + "]")
        return next((c for c in rng.sample("aA1 -.用", 7) if not taken.match(c)), "ß")
    op, argument = rng.choice(members)
    if op is ops.RANGE:
        return chr(argument[0])
    return _OF_CATEGORY[argument] if op is ops.CATEGORY else chr(argument)


def _as_class(member: Any) -> str:
    op, argument = member
    if op is ops.RANGE:
        return f"{re.escape(chr(argument[0]))}-{re.escape(chr(argument[1]))}"
    if op is ops.CATEGORY:
        return {"7": r"\d", " ": r"\s", "w": r"\w"}.get(_OF_CATEGORY[argument], r"\W")
    return re.escape(chr(argument))


def spent(work: Callable[[], object]) -> float:
    """Return the processor time that the work takes, in seconds."""
    begin = thread_time()
    work()
    return thread_time() - begin


def seconds(pattern: re.Pattern[str], text: str, *, tries: int = 1) -> float:
    """Return the least processor time of some searches through the whole text."""
    return min(spent(lambda: deque(pattern.finditer(text), maxlen=0)) for _ in range(tries))
