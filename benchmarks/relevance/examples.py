"""The examples: what people say, and the memories that help with it. All written for this project.

    nothing_*   utterances that need no memory, by style
    facts_*     memory | type | three direct questions | three remarks in passing; some are empty
    people_*    questions about people in conversations
    requests_*  requests and remarks with which some personal memory would help
    statements_*  a person's memories; after ">" what the person tells next, and after "?" what the
                  person asks; with the number of the memory that it changes, continues or touches,
                  or that answers it, if there is one

Files that end with `_held` are held out: no style, fact or wording of theirs is trained on. The
features were chosen by them. `_unseen` has further people and styles, written before the last
training.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "examples"
LANGUAGES = ("en", "zh")
DIRECT, PASSING = ("plain", "casual", "keywords"), ("advice", "short", "story")
STYLES = (*DIRECT, *PASSING)


@dataclass(frozen=True)
class Utterance:
    """A text and its style."""

    text: str
    style: str

    @property
    def kind(self) -> str:
        """The kind of a fact's utterance: asked directly or said in passing."""
        return "direct" if self.style in DIRECT else "passing"


@dataclass(frozen=True)
class Fact:
    """A memory, and the utterances that it helps with."""

    content: str
    memory_type: str
    utterances: Sequence[Utterance]


@dataclass(frozen=True)
class Statement:
    """A sentence that a person says next, and the places of the memories that help with it."""

    text: str
    helpful: Sequence[int] = ()
    asks: bool = False

    @property
    def kind(self) -> str:
        """The kind: whether a memory helps, for a statement or for a question."""
        if self.asks:
            return "answered question" if self.helpful else "question without an answer"
        return "update" if self.helpful else "new fact"


@dataclass(frozen=True)
class Person:
    """A person's memories, and what the person tells next."""

    memories: Sequence[Fact]
    statements: Sequence[Statement]


@dataclass(frozen=True)
class Examples:
    """All examples of one language, of the training set or of the held-out set."""

    language: str
    nothing: Sequence[Utterance]
    people: Sequence[Utterance]
    facts: Sequence[Fact]
    requests: Sequence[Utterance] = ()
    persons: Sequence[Person] = ()

    @property
    def utterances(self) -> list[tuple[Utterance, bool]]:
        """Each utterance, with True if it needs a memory."""
        needed = [*self.people, *self.requests]
        needed += [said for fact in self.facts for said in fact.utterances]
        return [(said, False) for said in self.nothing] + [(said, True) for said in needed]

    @property
    def statements(self) -> list[Statement]:
        """All statements of all persons."""
        return [said for person in self.persons for said in person.statements]


def examples(*, held_out: bool) -> list[Examples]:
    """Return the examples of each language."""
    ending = "_held" if held_out else ""
    return [
        Examples(
            language,
            nothing=_styled(_lines(f"nothing_{language}{ending}")),
            people=[Utterance(line, "people") for line in _lines(f"people_{language}{ending}")],
            facts=[_fact(line) for line in _lines(f"facts_{language}{ending}")],
            requests=[Utterance(line, "request") for line in _requests(language, held_out)],
            persons=_persons(_lines(f"statements_{language}{ending}")),
        )
        for language in LANGUAGES
    ]


def unseen() -> list[Examples]:
    """Return further facts and statements in other styles, for the measurement only."""
    return [
        Examples(
            f"{language}-unseen",
            nothing=(),
            people=(),
            facts=[_fact(line) for line in _lines(f"facts_{language}_unseen")],
            persons=_persons(_lines(f"statements_{language}_unseen")),
        )
        for language in LANGUAGES
    ]


def _lines(name: str) -> list[str]:
    return (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()


def _styled(lines: Sequence[str]) -> list[Utterance]:
    style, said = "", []
    for line in lines:
        if line.startswith("# "):
            style = line.removeprefix("# ")
        else:
            said.append(Utterance(line, style))
    return said


def _persons(lines: Sequence[str]) -> list[Person]:
    persons: list[Person] = []
    for line in lines:
        if line.startswith("# "):
            memories, statements = list[Fact](), list[Statement]()
            persons.append(Person(memories, statements))
        elif line.startswith(("> ", "? ")):
            text, _, number = line[2:].partition("|")
            helpful = [int(number) - 1] if number else ()
            statements.append(Statement(text, helpful, asks=line.startswith("?")))
        else:
            content, memory_type = line.split("|")
            memories.append(Fact(content, memory_type, ()))
    return persons


def _requests(language: str, held_out: bool) -> list[str]:
    return [] if held_out else _lines(f"requests_{language}")


def _fact(line: str) -> Fact:
    content, memory_type, *texts = line.split("|")
    said = [Utterance(text, style) for text, style in zip(texts, STYLES, strict=True) if text]
    return Fact(content, memory_type, said)
