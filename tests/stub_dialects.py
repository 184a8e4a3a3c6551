"""Endpoints' dialects, as data in `tests/dialects/`: what each refuses, and how each answers.

A file names its sources: the provider's documentation, or a thread with the provider's own words.
`seen` names the version of a real server that was seen to behave so; "" if it is documented only.
`refuses` lists refusals; the first whose `when` fits the request is sent. A key of `when` is a path
into the request, or `messages.role`; its value is true for "is there", or the value itself. `lacks`
fits if the prompt does not contain the word. `schema_keywords` are the only ones a schema may have.
`answers` says how answers differ:

    ignores_format     the request for JSON is ignored: the answer is prose around a code fence
    thoughts           "tag": <think>…</think> before the answer; "field": in reasoning_content
    pieces             the content is a list of texts
    no_usage           tokens are not counted
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "dialects"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))
THOUGHT = "The person said something. What would be a good answer?"
_MISSING = object()


@dataclass(frozen=True)
class EndpointDialect:
    name: str
    sources: list[str]
    refuses: list[dict[str, Any]]
    seen: str = ""
    answers: dict[str, Any] = field(default_factory=dict)
    schema_keywords: list[str] = field(default_factory=list)

    def refusal(self, request: Mapping[str, Any]) -> tuple[int, Any] | None:
        """The status and the body by which the endpoint refuses this request, if it does."""
        for refused in self.refuses:
            if all(_fits(request, path, value) for path, value in refused["when"].items()):
                return refused["status"], refused["body"]
        unknown = [word for word in _schema_words(request) if word not in self.schema_keywords]
        if self.schema_keywords and unknown:
            said = f"Invalid schema for response_format 'answer': '{unknown[0]}' is not permitted."
            return 400, {"error": {"message": said, "type": "invalid_request_error"}}
        return None


@cache
def dialect(name: str) -> EndpointDialect:
    return EndpointDialect(**json.loads((FOLDER / f"{name}.json").read_text()))


def _fits(request: Mapping[str, Any], path: str, value: Any) -> bool:
    if path == "messages.role":
        return any(message["role"] == value for message in request["messages"])
    if path == "lacks":
        return value not in json.dumps(request["messages"]).lower()
    found: Any = request
    for name in path.split("."):
        found = found.get(name, _MISSING) if isinstance(found, Mapping) else _MISSING
    return found is not _MISSING if value is True else found == value


def _schema_words(request: Mapping[str, Any]) -> Iterator[str]:
    asked = request.get("response_format") or {}
    yield from _words((asked.get("json_schema") or asked).get("schema") or {})


def _words(schema: Mapping[str, Any]) -> Iterator[str]:
    for word, value in schema.items():
        yield word
        if word == "properties":
            for described in value.values():
                yield from _words(described)
        elif word == "items":
            yield from _words(value)
