"""A tool call that a model writes as text is found, however its stream is cut into pieces."""

import json

import pytest

from assessor.llm import TextDelta
from chat.responders.written_calls import WrittenCalls

NAMES = ("remember", "search_memories")
CALL = '{"name": "search_memories", "arguments": {"query": "a {b}"}}'
CALLED = [("search_memories", {"query": "a {b}"})]


def read(text: str, size: int) -> tuple[str, list[tuple[str, object]]]:
    """The text that is shown and the calls, of a stream in pieces of this size."""
    written = WrittenCalls(NAMES)
    pieces = [
        piece
        for start in range(0, len(text), size)
        for piece in written.add(text[start : start + size])
    ]
    pieces += written.add("", is_end=True)
    shown = "".join(piece.text for piece in pieces if isinstance(piece, TextDelta))
    calls = [piece for piece in pieces if not isinstance(piece, TextDelta)]
    assert len({call.id for call in calls}) == len(calls)
    return shown, [(call.name, json.loads(call.arguments)) for call in calls]


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (CALL, ""),
        (f"```json {CALL}```", ""),
        (f"I look.\n```json\n{CALL}\n```\nDone.", "I look.\nDone."),
        (f"<tool_call>\n{CALL}\n</tool_call>", ""),
        (f"[TOOL_CALLS] [{CALL}]", ""),
        (CALL.replace("arguments", "parameters"), ""),
        (f'{{"type": "function", "function": {CALL}}}', ""),
    ],
)
def test_a_written_call_is_carried_out_and_not_shown(text: str, shown: str, size: int) -> None:
    said, calls = read(text, size)
    assert (said.replace("\n\n", "\n"), calls) == (shown, CALLED)


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    "text",
    [
        'A config:\n```json\n{"name": "Ada", "age": 3}\n```\nSee [this](http://x) [1].',
        "```python\nd = {}\nif x: { return }\n```\nDone ``x``, 1 < 2, {a}",
        '{"name": "Ada", "ag',
        "It ends with {",
        "```",
        '{"type": "object", "properties": {}}',
    ],
)
def test_any_other_text_is_shown_as_it_is(text: str, size: int) -> None:
    assert read(text, size) == (text, [])


@pytest.mark.parametrize("size", [1, 1000])
@pytest.mark.parametrize("text", [CALL[:30], CALL[:-3], '```json\n{"name": "rememb', CALL[:-1]])
def test_an_unfinished_call_is_dropped(text: str, size: int) -> None:
    assert read(text, size) == ("", [])


def test_a_call_of_an_unknown_tool_is_a_call_too() -> None:
    assert read('{"name": "web", "arguments": {"q": 1}}', 1000) == ("", [("web", {"q": 1})])
