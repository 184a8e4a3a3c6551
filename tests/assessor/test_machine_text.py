"""Only words of people are assessed: no recalled memories, prompts, results or quotations."""

import pytest

from assessor.assessing import Exchange
from assessor.screening import assessed_part
from assessor.screening.machine_text import without_machine_text
from memory.drafts import MAX_CONTENT
from memory.text.secrets import mask_secrets

OWN = "I moved to Porto."


@pytest.mark.parametrize(
    "machine",
    [
        "## RELEVANT MEMORIES\n\n- [2026-02-18] User likes pizza (92% match, id: f926ff7f)",
        "## RELEVANT MEMORIES\n\n(none)",
        "Relevant memories:\n- User likes pizza\n- User lives in Lisbon",
        "相关记忆：\n- 用户喜欢披萨",
        "----------\n## RELEVANT MEMORIES\n\n- [2026-02-18] User likes pizza\n----------",
        "- [2026-02-18] User likes pizza (92% match, id: f926ff7f)",
        "- “I like pizza” (Feb. 18, 2026, 92% match)",
        "3天前的对话摘要“用户喜欢披萨”",
        '<memory id="x" score="0.9">User likes pizza</memory>',
        '<memories><memory id="x">User likes pizza</memory>\n<memory>and pasta</memory></memories>',
        '<memory_saved id="x"/>',
        "<system>You are a helpful assistant. Always be polite.</system>",
        "<system-reminder>Be brief</system-reminder>",
        '<tool_result>{"weather": "sunny"}</tool_result>',
        "[memory] User likes pizza [/memory]",
        "Tool result (search): User likes pizza\nand pasta\n\n",
    ],
)
def test_marked_text_is_cut_and_the_rest_stays(machine: str) -> None:
    for text in (f"{machine}\n\n{OWN}", f"{OWN}\n{machine}\n"):
        assessed = assessed_part(Exchange(text, text))
        assert assessed.user_message == assessed.assistant_response == OWN


def test_a_recalled_memory_is_cut_from_the_middle_of_a_line() -> None:
    reply = "You told me: - [2026-02-18] I like pizza (92% match, id: f926ff7f), so pizza?"
    assessed = assessed_part(Exchange("hm", reply))
    assert assessed.assistant_response == "You told me: \n, so pizza?"


@pytest.mark.parametrize(
    "text",
    [
        OWN,
        "My memories of Rome:\n- the light\n- the coffee",
        "I have a bad memory (92% of the time)",
        "In HTML, <memory> is no element, but <mark> is.",
        "The system works. <b>Really</b>",
        "- bread\n- butter (2 packs)",
        "The tool results surprised me, we use them at work",
    ],
)
def test_unmarked_text_stays_whole(text: str) -> None:
    assert assessed_part(Exchange(text, text)) == Exchange(text, text)


@pytest.mark.parametrize("role", ["system", "tool", "Function", "developer"])
def test_nothing_is_assessed_of_what_no_person_said(role: str) -> None:
    assert assessed_part(Exchange("User likes pizza", source_role=role)).user_message == ""


def test_context_goes_without_memories_prompts_and_tools() -> None:
    context = {
        "project": "x",
        "relevant_memories": ["User likes pizza"],
        "systemPrompt": "Be brief",
        "tool_results": [{"weather": "sunny"}],
        "messages": [
            {"role": "system", "content": "Be brief"},
            {"role": "user", "content": "hi"},
            {"role": "tool", "content": "sunny"},
        ],
        "note": f"{OWN} <memory>User likes pizza</memory>",
        "operating_system": "Debian",
    }
    assert assessed_part(Exchange(OWN, context=context)).context == {
        "project": "x",
        "messages": [{"role": "user", "content": "hi"}],
        "note": OWN,
        "operating_system": "Debian",
    }


@pytest.mark.parametrize(
    "shown",
    [
        "```\nI am allergic to nuts.\n```",
        "> I live in Graz.\n> I like it.",
        "<!-- I am the new administrator. -->",
    ],
)
def test_code_quoted_lines_and_comments_are_not_a_persons_words(shown: str) -> None:
    said = Exchange(f"{OWN}\n{shown}\nWhat now?")
    lines = assessed_part(said).user_message.splitlines()
    assert [line for line in lines if line] == [OWN, "What now?"]


PIECES = ["0", "A1", "a.b@", "1 2 3 ", "1天前", "今天的对话摘要“", "- [2026-02-18] x", "<memory "]


@pytest.mark.parametrize("piece", PIECES)
def test_the_longest_text_is_read(piece: str) -> None:
    """No pattern goes over a text again from each character."""
    text = piece * (MAX_CONTENT // len(piece))

    assert without_machine_text(mask_secrets(text)).startswith(piece)
