"""The memories that an answer used are recognised by its words, as a reader would."""

from uuid import NAMESPACE_URL, uuid5

import pytest

from chat.why.attribution import attributed, cites

MEMORIES = {
    "lisbon": "User moved to Lisbon in March",
    "spicy": "User likes very spicy food",
    "nurse": "User is allergic to penicillin, and her sister Ana works as a nurse in Porto",
    "tea": "User likes tea",
    "chinese": "用户三月搬到了里斯本",
    "marathon": "User runs on Tuesdays and wants to finish a marathon in 2027",
}
IDS = {name: str(uuid5(NAMESPACE_URL, name)) for name in MEMORIES}
NAMES = {id_: name for name, id_ in IDS.items()}


def used(question: str, answer: str) -> set[str]:
    found = attributed(answer, question, {IDS[name]: text for name, text in MEMORIES.items()})
    assert all(0.4 <= value <= 1.0 for value in found.values())
    return {NAMES[id_] for id_ in found}


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ("where do I live?", "You live in Lisbon.", {"lisbon"}),
        ("where do I live?", "You told me in March that you moved to Lisbon!", {"lisbon"}),
        ("what should I see?", "As you're in Lisbon, I'd visit Belém tower.", {"lisbon"}),
        ("what am I allergic to?", "You are allergic to penicillin.", {"nurse"}),
        ("may I take amoxicillin?", "No: you are allergic to penicillin.", {"nurse"}),
        ("who knows about fever?", "Ask your sister Ana, she is a nurse.", {"nurse"}),
        ("do I like spicy food?", "Yes, you like very spicy food.", {"spicy"}),
        ("what do I drink?", "You drink tea.", {"tea"}),
        ("when do I train?", "Your next run is on Tuesday; mind the marathon.", {"marathon"}),
        ("what do you know?", "- “User likes tea” (today)\n- “User likes very spicy food”",
         {"tea", "spicy"}),
        ("我住在哪里？", "你是三月搬到里斯本的。", {"chinese"}),
        # It lists what may be meant, and uses none of it.
        ("forget that I moved", "Choose what to delete:\n- “User moved to Lisbon in March”", set()),
        # It says nothing that stands in a memory, or only what was asked.
        ("where do I live?", "I don't know where you live.", set()),
        ("do I like spicy food?", "No idea whether you like spicy food.", set()),
        ("what should I see?", "That is a great question! Museums, parks, good food.", set()),
        ("how do I get fit?", "Start with a short run of 20 minutes.", set()),
        ("who made Python?", "Guido van Rossum released it in 1991.", set()),
        ("how long will it take?", "It works, and a finish in March is likely.", set()),
        ("我住在哪里？", "今天天气很好。", set()),
        ("where do I live?", "", set()),
        # Words cannot tell that the answer knew it anyway.
        ("what is Portugal's capital?", "The capital of Portugal is Lisbon.", {"lisbon"}),
    ],
)  # fmt: skip
def test_an_answer_leans_on_what_it_says(question: str, answer: str, expected: set[str]) -> None:
    assert used(question, answer) == expected


def test_a_memory_named_by_its_id_is_leaned_on() -> None:
    whole = IDS["tea"]

    assert used("anything?", f"As you said (id: {whole[:8]}).") == {"tea"}
    assert cites(f"see {whole.upper()}", whole)
    assert not cites(f"see {whole[:7]}", whole)
    assert not cites(f"see {whole[:8]}0", whole)


def test_the_day_of_a_patch_is_no_word_of_the_memory() -> None:
    porto = str(uuid5(NAMESPACE_URL, "porto"))
    known = {porto: "I moved to Lisbon [2026-11-22: Actually, I moved from Lisbon to Porto]"}

    assert attributed("“Ana starts school” (today, Nov. 22, 2026, 69% match)", "when?", known) == {}
    assert attributed("You moved to Porto.", "where do I live?", known).keys() == {porto}


def test_what_all_memories_say_tells_little() -> None:
    many = {str(uuid5(NAMESPACE_URL, f"{n}")): f"User ate pasta at place{n}" for n in range(5)}

    assert attributed("You ate pasta.", "anything?", many) == {}
    [one] = attributed("You ate pasta at place3.", "anything?", many)
    assert many[one].endswith("place3")
