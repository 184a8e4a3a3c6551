"""`hybrid` in small spaces, as a person meets it: a dozen memories and plain questions."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from accounts.models import Space
from foundation.actors import SYSTEM
from memory.drafts import MemoryDraft, Source
from memory.policies.services import change_policy
from memory.recall.recall import Recall, SearchRequest, recall
from memory.store.services import create_memories

NOW = datetime(2026, 2, 18, 12, 0, tzinfo=UTC)

MARA = (
    "The user's name is Mara; she is a marine biologist.",
    "Mara has a daughter, Ines (7), and a son, Theo (4).",
    "Mara is a vegetarian and likes her food very spicy.",
    "Mara wants to run a half marathon in under two hours.",
    "Mara decided to move her survey analysis to Python.",
    "Mara prefers short answers with one example.",
    "The research boat Calypso is in the dock until spring.",
    "Mara has to send the seagrass paper back to the reviewers.",
    "Ines had a birthday party with a treasure hunt on the beach.",
    "Mara ran twelve kilometres and her knee felt fine.",
    "Mara listens to piano music while she writes.",
    "Mara sounded tired after counting larvae all day.",
)
TOLD = "I'm allergic to penicillin and I moved to Lisbon in March"

CHINESE = (
    "用户对青霉素过敏",
    "用户三月搬到了里斯本",
    "用户喜欢吃辣的川菜",
    "用户的女儿叫小雨，今年七岁",
    "用户每周三晚上学钢琴",
    "用户决定把论文投给《生态学报》",
    "用户的猫叫豆豆，是一只橘猫",
    "用户想在两小时内跑完半程马拉松",
    "用户的妈妈住在成都",
    "用户不喝咖啡，只喝绿茶",
)


def remember(
    space: Space, *contents: str, speaker: str = "", conversation: str | None = None
) -> None:
    drafts = [
        MemoryDraft(
            content=content,
            created_at=NOW - timedelta(days=age),
            source=Source(speaker=speaker, conversation_id=conversation),
        )
        for age, content in enumerate(contents)
    ]
    create_memories(space=space, drafts=drafts, actor=SYSTEM, now=NOW)


def ask(space: Space, question: str) -> Recall:
    return recall(space, SearchRequest(question, limit=20, profile="hybrid"), now=NOW)


def contents(found: Recall) -> Sequence[str]:
    return [result.memory.content for result in found.results]


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("where do I live?", TOLD),
        ("Which medicine must I not take?", TOLD),
        ("what am I allergic to?", TOLD),
        ("When did I move?", TOLD),
        ("Which city did I move to?", TOLD),
        ("How old are my children?", MARA[1]),
        ("What should I cook for her?", MARA[2]),
        ("What is the boat called?", MARA[6]),
        ("What do I still have to send?", MARA[7]),
        ("how was the birthday?", MARA[8]),
        ("What did she study, is she a biologist?", MARA[0]),
        ("which programming language did she choose?", MARA[4]),
    ],
)
def test_plain_question_finds_its_memory_first(space: Space, question: str, wanted: str) -> None:
    remember(space, *MARA, TOLD)

    assert contents(ask(space, question))[0] == wanted


@pytest.mark.parametrize("said", [TOLD, "I moved my bike", "Let us move on to the next topic."])
def test_stray_common_word_is_worth_little(space: Space, said: str) -> None:
    """ "move" stands in one memory, about something else."""
    remember(space, *MARA)

    found = {result.memory.content: result for result in ask(space, said).results}

    stray = found[MARA[4]]
    assert 0 < stray.signals["lexical"] < 0.3
    assert stray.contributions["lexical"] < 0.45


def test_long_statement_is_not_drawn_to_a_stray_word(space: Space) -> None:
    """One word of seven: what is a little alike comes before it."""
    remember(space, *MARA, "Mara takes antibiotics for an infection.")

    assert contents(ask(space, TOLD))[0] == "Mara takes antibiotics for an infection."


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("我对什么过敏？", CHINESE[0]),
        ("我什么时候搬到里斯本的？", CHINESE[1]),
        ("我喜欢吃什么菜？", CHINESE[2]),
        ("我女儿叫什么名字？", CHINESE[3]),
        ("我什么时候学钢琴？", CHINESE[4]),
        ("我的论文投给了哪个学报？", CHINESE[5]),
        ("我的猫叫什么？", CHINESE[6]),
        ("马拉松的目标是什么？", CHINESE[7]),
        ("妈妈住在哪里？", CHINESE[8]),
        ("我能喝咖啡吗？", CHINESE[9]),
    ],
)
def test_chinese_question_finds_its_memory_first(space: Space, question: str, wanted: str) -> None:
    change_policy(space=space, changes={"language": "zh"}, actor=SYSTEM, now=NOW)
    remember(space, *CHINESE)

    assert contents(ask(space, question))[0] == wanted


def test_relevance_outweighs_age(space: Space) -> None:
    """Imported memories may be years old. A new and important memory is not the answer for that
    alone."""
    old = MemoryDraft(
        content="The user plays the cello in an orchestra.",
        importance=0.1,
        created_at=NOW - timedelta(days=3000),
    )
    new = [
        MemoryDraft(content=content, importance=1.0, created_at=NOW, pinned=True)
        for content in MARA
    ]
    create_memories(space=space, drafts=[*new, old], actor=SYSTEM, now=NOW)

    assert contents(ask(space, "Which instrument does the user play?"))[0] == old.content


def test_answer_that_repeats_no_word_is_found_by_the_turn_before_it(space: Space) -> None:
    remember(space, *MARA)
    remember(
        space,
        "Did you ever go to the Dolomites?",
        "Yes! Last summer, it rained the whole time.",
        conversation="c1",
    )

    found = ask(space, "Dolomites")

    first, second = found.results[:2]
    assert first.memory.content == "Did you ever go to the Dolomites?"
    assert second.memory.content == "Yes! Last summer, it rained the whole time."
    assert 0 < second.signals["lexical"] < first.signals["lexical"]


def test_only_the_beginning_of_a_long_turn_helps_to_find_the_turns_beside_it(space: Space) -> None:
    long = f"The Dolomites, first. {'There is a lot to see on the way. ' * 20} Then Trieste."
    remember(space, "What would you like to visit?", long, conversation="c1")

    beside, far = (
        next(one for one in ask(space, word).results if one.memory.content != long)
        for word in ("Dolomites", "Trieste")
    )

    assert beside.signals["lexical"] > 0
    assert far.signals["lexical"] == 0


def test_turns_of_other_conversations_are_no_neighbours(space: Space) -> None:
    remember(space, "Did you ever go to the Dolomites?", conversation="c1")
    remember(space, "Yes! Last summer.", conversation="c2")
    remember(space, "No, never.")

    lexical = [result.signals["lexical"] for result in ask(space, "Dolomites").results]

    assert sorted(lexical)[:2] == [0.0, 0.0]


def test_who_is_named_in_the_question_comes_before_who_speaks_of_the_same(space: Space) -> None:
    remember(space, "I like hiking in the mountains", speaker="Caroline")
    remember(space, "I like hiking in the hills", speaker="Melanie")

    for name, other in (("Caroline", "Melanie"), ("Melanie", "Caroline")):
        first, second = ask(space, f"What does {name} like?").results
        assert (first.memory.source_speaker, first.signals["speaker"]) == (name, 1.0)
        assert (second.memory.source_speaker, second.signals["speaker"]) == (other, 0.0)
