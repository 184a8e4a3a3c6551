"""Recall is silent where no memory helps, and finds memories where one does."""

import pytest

from accounts.models import Space
from memory.recall.recall import Recall, SearchRequest, recall
from tests.memory.recall.test_hybrid_everyday import CHINESE, MARA, NOW, remember
from tests.memory.writing import set_policy

pytestmark = pytest.mark.django_db

NEEDS_NOTHING = (
    "hi there",
    "thanks, that's great!",
    "what is the capital of Portugal?",
    "write me a poem about clouds",
    "make that a bit shorter",
    "what is 12 times 12",
    "how do I reverse a string in Ruby?",
    "Thanks! Now translate it into Dutch.",
)
HELPED = {
    "What is my daughter called?": MARA[1],
    "Can you find me a recipe for dinner that fits my diet?": MARA[2],
    "Who reviews my seagrass paper?": MARA[7],
    "My knee hurts after the run this morning.": MARA[9],
    "hey, thanks! btw what was my daughter's name again": MARA[1],
}
HELPED_IN_CHINESE = {
    "我对什么过敏？": CHINESE[0],
    "我的猫叫什么名字？": CHINESE[6],
    "谢谢啦。对了，我的猫叫什么来着": CHINESE[6],
}


def sent(space: Space, text: str) -> Recall:
    return recall(space, SearchRequest(text, min_relevance=None), now=NOW)


NEEDS_NOTHING_ZH = ("你好", "谢谢你", "在吗？", "法国的首都是哪里？", "写一首关于春天的诗")
NEW = (
    "My sister Ana is a nurse.",
    "I've just bought a canoe.",
    "i have a cousin in boston",
    "I can't whistle, never could.",
    "i was an altar boy once",
)
UNTOLD = ("What car do I drive?", "Do I have a dog?", "How tall am I?", "What's my bank?")
UNTOLD_ZH = ("我开什么车？", "我在哪里上的大学？", "我多高？", "我的银行是哪家？")
NEW_ZH = ("我最近在学吉他。", "我妹妹是护士。", "我属兔。", "我不会吹口哨。")


@pytest.mark.parametrize(
    ("known", "said", "share"),
    [
        (MARA, NEEDS_NOTHING, 0.7),
        (CHINESE, NEEDS_NOTHING_ZH, 0.8),
        (MARA, NEW, 0.6),
        (CHINESE, NEW_ZH, 0.6),
        (MARA, UNTOLD, 0.5),
        (CHINESE, UNTOLD_ZH, 0.5),
    ],
)
def test_what_needs_no_memory_recalls_mostly_nothing(
    space: Space, known: tuple[str, ...], said: tuple[str, ...], share: float
) -> None:
    remember(space, *known)

    found = [sent(space, text) for text in said]

    assert sum(not one.results for one in found) >= share * len(said)
    assert found[0].missed


def test_a_question_is_answered_by_one_memory_in_other_words(space: Space) -> None:
    remember(space, *MARA, "User drives a blue Skoda")

    found = sent(space, "What car do I have?").results

    assert [one.memory.content for one in found] == ["User drives a blue Skoda"]


@pytest.mark.parametrize(
    ("text", "memory"),
    [
        ("The Calypso is back in the water already!", MARA[6]),
        ("I sent the seagrass paper back to the reviewers yesterday.", MARA[7]),
    ],
)
def test_a_statement_recalls_the_memory_that_it_changes(
    space: Space, text: str, memory: str
) -> None:
    remember(space, *MARA)

    assert memory in [one.memory.content for one in sent(space, text).results]


@pytest.mark.parametrize(("text", "memory"), HELPED.items())
def test_a_memory_that_helps_is_sent(space: Space, text: str, memory: str) -> None:
    remember(space, *MARA)

    assert memory in [one.memory.content for one in sent(space, text).results]


@pytest.mark.parametrize(("text", "memory"), HELPED_IN_CHINESE.items())
def test_a_memory_that_helps_is_sent_in_chinese(space: Space, text: str, memory: str) -> None:
    remember(space, *CHINESE)

    assert memory in [one.memory.content for one in sent(space, text).results]


def test_a_search_returns_everything_and_the_policy_decides_what_is_sent(space: Space) -> None:
    remember(space, *MARA)
    asked = SearchRequest("What is my daughter called?", limit=5)
    everything = recall(space, asked, now=NOW).results
    relevances = [one.relevance for one in everything]
    assert len(relevances) == 5
    assert all(0 <= one <= 1 for one in relevances)
    least = sorted(relevances)[3] - 1e-4

    set_policy(space, recall={"min_relevance": least, "limit": 5})

    passed = [one.relevance for one in sent(space, asked.query).results]
    assert len(passed) >= sum(one >= least for one in relevances)
    assert min(passed) >= least


def test_a_minimum_of_a_search_leaves_out_the_rest(space: Space) -> None:
    remember(space, *MARA)

    found = recall(space, SearchRequest("thanks!", min_relevance=0.1), now=NOW)

    assert found.results == []


def test_a_memory_far_down_can_be_the_only_one_that_is_sent(space: Space) -> None:
    towns = [f"User once spent a rainy weekend in town number {one}" for one in range(8)]
    remember(space, *towns, "User is allergic to penicillin")
    set_policy(space, recall={"limit": 1})

    found = sent(space, "which medicine must I not take?").results

    assert [one.memory.content for one in found] == ["User is allergic to penicillin"]
