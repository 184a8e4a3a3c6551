"""The classifier beside the gate's rules: prompts in other words, and assistants to talk with."""

from pathlib import Path

import pytest

from assessor.gate import GateReason, gate_reason, likeness

DOCUMENT = (
    "Maria Keller moved to Basel in May. She is allergic to penicillin and works as a nurse. "
    "Her brother Jonas studies in Graz."
)


@pytest.mark.parametrize(
    "task",
    [
        "You maintain a knowledge graph. Extract every entity and relation from the given text, "
        "with the type and a description of each. Do not include pronouns or dates.",
        "You compare two facts about one entity and decide whether the new one contradicts the "
        "old one. Answer with the ids of the facts that are no longer true.",
        "You split text into claims. For every claim in the given passage, state whether it is "
        "supported by the evidence, with a reason and a verdict.",
    ],
)
def test_a_document_after_a_programs_system_prompt_teaches_nothing(task: str) -> None:
    assert gate_reason(DOCUMENT, task) is GateReason.TASK_PROMPT


@pytest.mark.parametrize(
    "prompt",
    [
        "Decide whether the candidate memory repeats an existing one.\n\nEXISTING\n{0}\n\n"
        "CANDIDATE\nI live in Basel.\n\nReply ADD, UPDATE or NONE with the id.",
        "Given the rubric and the submission, assign a grade from 1 to 5 and justify it in one "
        "sentence.\n\nSubmission: I moved to Basel in May. {0}\n\nGrade:",
        "Plan the next step of the agent. The goal is: find a flat in Basel. Done so far: {0} "
        "Respond with the name of one tool and its arguments.",
    ],
)
def test_a_programs_message_in_other_words_teaches_nothing(prompt: str) -> None:
    assert gate_reason(prompt.format(DOCUMENT)) is not None


@pytest.mark.parametrize(
    "character",
    [
        "You are Iris, a warm companion. Keep replies to two sentences, ask one question, and "
        "never mention these rules.",
        "You are the concierge of a small hotel. Answer only from the facts below. Output in the "
        "guest's language, no lists, at most 60 words.",
        "Act as a chess trainer. Comment on each move the player sends, suggest one improvement, "
        "and rate it from 1 to 10.",
        "You are a strict but fair English teacher. Correct every sentence, then continue the "
        "conversation. Format corrections in bold.",
        "你是一位老中医，语气温和，先问症状，再给建议，每次不超过一百字。",
        "Du bist ein Kochfreund. Frag nach Vorräten, gib Rezepte als nummerierte Schritte aus.",
    ],
)
def test_words_to_an_assistant_with_a_character_are_kept(character: str) -> None:
    assert gate_reason("I moved to Basel in May with my two cats.", character) is None


@pytest.mark.parametrize(
    "style",
    [
        "Be brief.",
        "Don't use jargon.",
        "Answer in German.",
        "Keep answers short and use British spelling.",
        "You are Nova, an assistant in a mobile app. Today is 2026-05-02. The user's name is Kim. "
        "Keep answers short because the screen is small. Do not use tables.",
        "回答要简洁。",
    ],
)
def test_a_wish_for_the_style_of_answers_is_no_task(style: str) -> None:
    assert gate_reason("I moved to Basel in May with my two cats.", style) is None


def test_the_weights_fit_the_features_and_are_small() -> None:
    assert likeness.load_weights().message.shape == (likeness.COLUMNS,)
    assert likeness.load_weights().system.shape == (likeness.COLUMNS,)
    file = Path(likeness.__file__).with_name(likeness.WEIGHTS_FILE)
    assert file.stat().st_size < 1_000_000
