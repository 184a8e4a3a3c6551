"""The ranking lab's reads: recall's own answers side by side, and figures from one's own marks."""

from collections.abc import Sequence

import pytest
from django.http import QueryDict

from accounts.models import Space
from foundation.errors import Conflict
from foundation.readers import EVERYONE
from memory.formulas.ranking import PROFILES, SIGNALS, Profile
from memory.formulas.retrieval import recall_at, reciprocal_rank
from memory.lab import comparison
from memory.lab.labels import SIGNAL_WORDS
from memory.lab.measuring import Measured, measure
from memory.lab.relevance import mark_relevance
from memory.lab.saved_queries import drop_query, save_query
from memory.models import Memory, MemoryEvent, SavedQuery
from memory.models.policies import current_policy
from memory.models.saved_queries import MAX_SAVED
from memory.policy import PolicyDocument
from memory.recall.recall import SearchRequest, recall
from memory.retention.recycle_bin import delete_memory
from tests.memory.recall.test_recall import fill
from tests.memory.transfer.spaces import exported, imported
from tests.memory.writing import ALICE, NOW, remember, set_policy

QUESTION = "what pizza does the user like?"


def mark(space: Space, memory: Memory, query: str = QUESTION, *, relevant: bool = True) -> None:
    mark_relevance(
        space=space, query=query, memory_id=memory.pk, relevant=relevant, user=None, now=NOW
    )


def drawn(space: Space, address: str) -> Sequence[comparison.Column]:
    asked, wrong = comparison.asked(QueryDict(address), PolicyDocument())
    assert wrong == []
    return comparison.columns(
        space=space, reader=EVERYONE, policy=current_policy(space), asked=asked, marks={}, now=NOW
    )


def figures_of(space: Space, profiles: Sequence[Profile], patience: float = 60) -> Measured:
    return measure(
        space=space, policy=current_policy(space), profiles=profiles, now=NOW, patience=patience
    )


def test_every_signal_has_its_word() -> None:
    assert tuple(SIGNAL_WORDS) == SIGNALS


def test_columns_are_what_recall_answers_and_count_no_use(space: Space) -> None:
    fill(space, 40)
    set_policy(space, recall={"limit": 4})
    memories, events = Memory.objects.in_space(space).order_by("pk"), MemoryEvent.objects.count()
    uses = list(memories.values("pk", "use_count", "last_active_at", "expires_at"))

    for names in (list(PROFILES)[:4], list(PROFILES)[4:]):
        address = "&".join(["q=pizza", *(f"profile={name}" for name in names)])
        for column in drawn(space, address):
            expected = recall(
                space,
                SearchRequest("pizza", profile=column.profile.name, limit=comparison.DEPTH),
                now=NOW,
            )
            assert [row.id for row in column.rows] == expected.memory_ids
            assert [row.result.score for row in column.rows] == [
                result.score for result in expected.results
            ]
            [last] = [row.place for row in column.rows if row.is_last]
            assert last == (PROFILES[column.profile.name].limit or 4)

    assert MemoryEvent.objects.count() == events
    assert list(memories.values("pk", "use_count", "last_active_at", "expires_at")) == uses


def test_the_line_of_what_is_sent_is_below_the_last_one_sent(space: Space) -> None:
    set_policy(space, recall={"limit": 3, "min_relevance": 0.15})
    remember(space, "User likes pizza with olives")
    for text in ("User's car is red", "User works at night", "User has a cellar"):
        remember(space, text)

    [column] = drawn(space, "q=What+pizza+do+I+like?&profile=hybrid")

    assert [row.is_unlikely for row in column.rows] == [False, True, True, True]
    assert [row.is_last for row in column.rows] == [True, False, False, False]


def test_weights_of_a_profile_rank_as_the_profile_does(space: Space) -> None:
    fill(space, 40)

    combined, own = drawn(
        space,
        "q=pizza&profile=combined&profile=own"
        "&semantic=1&lexical=0&speaker=0&recency=0.2&importance=0.1",
    )

    assert [row.id for row in own.rows] == [row.id for row in combined.rows]
    assert [row.stood for row in own.rows] == list(range(1, 11))
    assert {link.kind for link in combined.links} == {"same"}
    assert set(own.recall.results[0].contributions) == {"semantic", "recency", "importance"}


def test_bars_add_up_and_lines_lead_from_place_to_place(space: Space) -> None:
    fill(space, 40)

    first, second = drawn(space, "q=pizza&profile=hybrid&profile=date")

    for row in first.rows:
        best = first.rows[0].result.score
        assert f"{sum(part.value for part in row.parts):.2f}" == f"{row.result.score:.2f}"
        assert row.parts[-1].x + row.parts[-1].width == pytest.approx(row.result.score / best)
    assert second.rows[0].parts == []  # by date there is no score
    places = {row.id: row.place for row in first.rows}
    assert [row.stood for row in second.rows] == [places.get(row.id) for row in second.rows]
    ends = {row.id: row.place - 0.5 for row in second.rows if row.stood}
    assert {link.id: (link.begin, link.end) for link in first.links} == {
        id_: (places[id_] - 0.5, end) for id_, end in ends.items()
    }
    assert second.lost == 10 - len(ends) > 0


def test_figures_are_those_of_the_answers(space: Space) -> None:
    fill(space, 40)
    questions = {QUESTION: 3, "where does she live?": 1}
    wanted = {}
    for query, count in questions.items():
        found = recall(space, SearchRequest(query, profile="date", limit=40), now=NOW).results
        chosen = [result.memory for result in found[6 : 6 + count]]
        wanted[query] = [memory.pk for memory in chosen]
        for memory in chosen:
            mark(space, memory, query)
    mark(space, Memory.objects.in_space(space).latest("created_at"), "not one", relevant=False)
    profiles = [PROFILES["hybrid"], PROFILES["date"]]

    measured = figures_of(space, profiles)

    assert {one.query: one.wanted for one in measured.questions} == questions
    assert not measured.is_part
    for n, figures in enumerate(measured.figures):
        answers = {
            query: recall(
                space, SearchRequest(query, profile=profiles[n].name, limit=10), now=NOW
            ).memory_ids
            for query in questions
        }
        for cut, mean in ((5, figures.recall_at_5), (10, figures.recall_at_10)):
            assert mean == sum(recall_at(cut, wanted[q], answers[q]) for q in questions) / 2
        ranks = [reciprocal_rank(wanted[q], answers[q], depth=10) for q in questions]
        assert figures.mrr == sum(ranks) / 2
    by_date = measured.figures[1]
    assert (by_date.recall_at_5, by_date.recall_at_10, by_date.mrr) == (0.0, 1.0, 1 / 7)
    assert [one.places[1] for one in measured.questions] == [7, 7]


def test_what_cannot_be_found_is_not_asked_for(space: Space, other_space: Space) -> None:
    mark(other_space, remember(other_space, "User likes tea"), "elsewhere")
    gone = remember(space, "User likes soup")
    mark(space, gone, "soup?")
    delete_memory(space=space, memory_id=gone.pk, actor=ALICE, now=NOW)

    assert figures_of(space, [PROFILES["hybrid"]]).questions == []


def test_out_of_patience_every_profile_has_been_asked_the_same(space: Space) -> None:
    memory = remember(space, "User likes pizza")
    for query in ("one?", "two?", "three?"):
        mark(space, memory, query)

    profiles = [PROFILES["hybrid"], PROFILES["date"]]
    measured = figures_of(space, profiles, patience=0)

    assert [one.places for one in measured.questions] == [[1, 1]]
    assert measured.is_part
    assert [figures.mrr for figures in measured.figures] == [1.0, 1.0]


def test_a_question_is_kept_once_and_dropped(space: Space, other_space: Space) -> None:
    for owner, query in ((space, QUESTION), (space, QUESTION), (other_space, QUESTION)):
        save_query(space=owner, query=query, now=NOW)
    assert SavedQuery.objects.in_space(space).newest(9) == [QUESTION]

    drop_query(space=space, query=QUESTION)

    assert SavedQuery.objects.in_space(space).newest(9) == []
    assert SavedQuery.objects.in_space(other_space).newest(9) == [QUESTION]


def test_a_space_keeps_so_many_questions(space: Space) -> None:
    SavedQuery.objects.bulk_create(
        SavedQuery(space=space, query=f"number {number}?", created_at=NOW)
        for number in range(MAX_SAVED)
    )

    with pytest.raises(Conflict):
        save_query(space=space, query="one more?", now=NOW)
    save_query(space=space, query="number 7?", now=NOW)

    assert SavedQuery.objects.in_space(space).count() == MAX_SAVED


def test_saved_questions_travel_with_the_space(space: Space, other_space: Space) -> None:
    save_query(space=space, query=QUESTION, now=NOW)
    file = exported(space)

    for _ in range(2):
        assert imported(other_space, file).result["wrong"] == []

    assert SavedQuery.objects.in_space(other_space).newest(9) == [QUESTION]
