"""Each result can say where it would rank without each signal, and the answer what just missed."""

from collections.abc import Mapping
from datetime import timedelta
from uuid import UUID

import pytest

from accounts.models import Space
from memory.formulas.ranking import PROFILES
from memory.memories.schemas import ResultOut
from memory.policy import PolicyDocument
from memory.recall.recall import Recall, SearchRequest, recall
from tests.conftest import ApiClient, MakeKey
from tests.memory.recall.recall_reference import Expected, expected_recall
from tests.memory.recall.test_recall import QUESTIONS, fill
from tests.memory.writing import NOW, remember, set_policy


def ranked_without(expected: list[Expected], signal: str) -> Mapping[UUID, tuple[int, int]]:
    """The best and the worst place of each: scores within 1e-9 may stand either way round."""
    scores = {hit.memory.pk: hit.score - hit.contributions[signal] for hit in expected}
    ordered = sorted(scores.values(), reverse=True)
    return {
        pk: (
            sum(other > score + 1e-9 for other in ordered) + 1,
            sum(other >= score - 1e-9 for other in ordered),
        )
        for pk, score in scores.items()
    }


def everything(space: Space, policy: PolicyDocument, profile: str) -> list[Expected]:
    return expected_recall(space, QUESTIONS[0], NOW, policy, profile=profile, limit=10_000)


@pytest.mark.parametrize("name", PROFILES)
def test_ranks_without_each_signal_are_those_of_the_formulas(space: Space, name: str) -> None:
    fill(space, 90)
    policy = set_policy(space, recall={"candidate_limit": 50, "limit": 8})
    every = everything(space, policy, name)

    found = recall(space, SearchRequest(QUESTIONS[0], profile=name, limit=8, explain=True), now=NOW)

    assert [result.rank for result in found.results] == list(range(1, 9))
    assert [set(result.rank_without) for result in found.results] == [
        set(PROFILES[name].weights)
    ] * 8
    for signal in PROFILES[name].weights:
        places = ranked_without(every, signal)
        for result in (*found.results, *found.missed):
            best, worst = places[result.memory.pk]
            assert best <= result.rank_without[signal] <= worst


def test_what_is_equal_but_for_one_signal_stands_without_it_in_the_order_of_the_ids(
    space: Space,
) -> None:
    """Rounding of the score without that part does not change the order."""
    for number in range(60):
        remember(space, f"User saw film number {number}", created_at=NOW - timedelta(days=7))

    found = recall(
        space, SearchRequest("film 7", profile="similar_recent", limit=60, explain=True), now=NOW
    )

    by_id = sorted(found.results, key=lambda result: result.memory.pk)
    assert [result.rank_without["semantic"] for result in by_id] == list(range(1, 61))


def test_what_just_missed_follows_the_last_result(space: Space) -> None:
    fill(space, 40)
    plain = recall(space, SearchRequest("pizza", limit=9), now=NOW)

    found = recall(space, SearchRequest("pizza", limit=4, explain=True), now=NOW)

    assert found.memory_ids == plain.memory_ids[:4]
    assert [result.memory.pk for result in found.missed] == plain.memory_ids[4:]
    assert [result.rank for result in found.missed] == [5, 6, 7, 8, 9]
    assert plain.missed == []
    assert plain.results[0].rank is None
    assert plain.results[0].rank_without == {}


def test_what_is_below_the_least_score_has_just_missed(space: Space) -> None:
    fill(space, 40)
    all_of_them = recall(space, SearchRequest("pizza", limit=10), now=NOW).results
    set_policy(space, recall={"min_score": all_of_them[2].score - 1e-9})

    found = recall(space, SearchRequest("pizza", limit=10, explain=True), now=NOW)

    in_place = [result.memory.pk for result in all_of_them]
    assert found.memory_ids == in_place[:3]
    assert [result.memory.pk for result in found.missed] == in_place[3:8]


def test_a_word_lifts_what_would_be_lost_without_it(space: Space) -> None:
    """The numbers show that this memory was found because it contains the word."""
    for number in range(30):
        remember(space, f"The harbour was calm on day {number}, and boats came in")
    wanted = remember(space, "Invoice 4711 is about quillwort")

    found = recall(
        space, SearchRequest("calm harbour boats quillwort", limit=40, explain=True), now=NOW
    )

    [result] = [result for result in found.results if result.memory.pk == wanted.pk]
    assert result.rank is not None
    assert result.rank_without["lexical"] == 31
    assert result.rank < result.rank_without["lexical"]


def test_search_explains_itself_when_asked(key: MakeKey, space: Space) -> None:
    fill(space, 12)
    client = ApiClient(key())

    plain = client.post("memories/search", {"query": "pizza", "limit": 3}).json()
    found = client.post("memories/search", {"query": "pizza", "limit": 3, "explain": True}).json()

    assert plain["missed"] == []
    assert {(hit["rank"], tuple(hit["rank_without"])) for hit in plain["results"]} == {(None, ())}
    assert [hit["rank"] for hit in found["results"]] == [1, 2, 3]
    assert [hit["rank"] for hit in found["missed"]] == [4, 5, 6, 7, 8]
    signals = {"semantic", "lexical", "speaker", "recency", "importance"}
    assert all(set(hit["rank_without"]) == signals for hit in found["results"] + found["missed"])


def test_an_answer_is_made_as_if_it_had_been_validated(space: Space) -> None:
    fill(space, 12)

    for result in recall(space, SearchRequest("pizza", explain=True), now=NOW).results:
        assert ResultOut.of(result) == ResultOut.model_validate(result)


def test_an_empty_space_has_nothing_to_explain(space: Space) -> None:
    found: Recall = recall(space, SearchRequest("pizza", explain=True), now=NOW)

    assert (found.results, found.missed) == ([], [])
