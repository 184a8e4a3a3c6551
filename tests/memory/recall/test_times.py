"""Questions about now, about the past and as of a day, against the real embedder."""

from datetime import UTC, datetime, timedelta

import pytest

from accounts.models import Space
from foundation.moments import end_of
from memory.models import Memory
from memory.recall.recall import SearchRequest, recall
from memory.recall.times import AskedTime, asked_time
from memory.retention.recycle_bin import delete_memory, restore_memory
from tests.conftest import ApiClient, MakeKey
from tests.memory.writing import ALICE, learn, remember, stored

JANUARY = datetime(2026, 1, 10, 9, 0, tzinfo=UTC)
MARCH = datetime(2026, 3, 10, 9, 0, tzinfo=UTC)
MAY = datetime(2026, 5, 10, 9, 0, tzinfo=UTC)
NOW = datetime(2026, 6, 10, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "kind", "before"),
    [
        ("Where do I live?", "now", ""),
        ("How old am I?", "now", ""),
        ("What do I use to edit photos?", "now", ""),
        ("Where did I live before Porto?", "before", "porto"),
        ("Where did I live before I moved to Porto?", "before", "porto"),
        ("What was my job before joining Acme Corp?", "before", "acme or corp"),
        ("Who was my doctor before Dr. Garcia?", "before", "dr or garcia"),
        ("What did I drink before I changed?", "past", ""),
        ("Where did I work before?", "past", ""),
        ("What did I use to drink?", "past", ""),
        ("Who was my previous dentist?", "past", ""),
        ("What did I say the day before yesterday?", "during", ""),
        ("Where did I live in March 2025?", "during", ""),
        ("Where will I live in March 2027?", "now", ""),
        ("我住在哪里？", "now", ""),
        ("我以前住在哪里？", "past", ""),
        ("我搬到波尔图之前住在哪里？", "before", "波尔 or 尔图"),
        ("去年三月我住在哪里？", "during", ""),
    ],
)
def test_the_words_say_which_time_a_question_is_about(
    question: str, kind: str, before: str
) -> None:
    asked = asked_time(question, NOW)
    assert (asked.kind, asked.before) == (kind, before)


def test_a_period_is_that_of_the_words_and_a_given_day_counts_before_them() -> None:
    asked = asked_time("Where did I live in March 2025?", NOW)
    assert asked.since == datetime(2025, 3, 1, tzinfo=UTC)
    assert asked.until == datetime(2025, 4, 1, tzinfo=UTC) - timedelta(microseconds=1)
    as_of = end_of(MARCH.date(), MARCH)
    given = asked_time("Where did I live before Porto?", NOW, as_of)
    assert given == AskedTime("as_of", since=as_of, until=as_of)


@pytest.fixture
def homes(space: Space) -> list[Memory]:
    """Three homes, one after the other, among other memories."""
    for said in ("User likes pizza", "User plays the cello", "User has a dog called Rex"):
        remember(space, said, now=JANUARY)
    said_at = {"Berlin": JANUARY, "Lisbon": MARCH, "Porto": MAY}
    made = [learn(space, f"User lives in {city}", now=now) for city, now in said_at.items()]
    return [stored(home) for home in made]


def first(space: Space, question: str, as_of: datetime | None = None) -> str:
    request = SearchRequest(question, limit=3, as_of=as_of)
    return recall(space, request, now=NOW).results[0].memory.content


def test_questions_about_now_find_what_is_true_now(space: Space, homes: list[Memory]) -> None:
    found = recall(space, SearchRequest("Where do I live?", limit=10), now=NOW)
    said = [result.memory.content for result in found.results]
    assert said[0] == "User lives in Porto"
    assert "User lives in Lisbon" not in said
    assert all("past" not in result.contributions for result in found.results)


@pytest.mark.parametrize(
    ("question", "city"),
    [
        ("Where did I live before Porto?", "Lisbon"),
        ("Where did I live before I moved to Lisbon?", "Berlin"),
        ("Where did I live in January 2026?", "Berlin"),
        ("Where did I live in April 2026?", "Lisbon"),
    ],
)
def test_questions_about_the_past_find_what_was_true_then(
    space: Space, homes: list[Memory], question: str, city: str
) -> None:
    assert first(space, question) == f"User lives in {city}"


def test_a_statement_that_names_both_places_is_not_taken_for_the_later_one(space: Space) -> None:
    said_at = {"User lives in Berlin": JANUARY, "User moved to Lisbon in March": MARCH}
    for said, now in {**said_at, "User moved from Lisbon to Porto": MAY}.items():
        learn(space, said, now=now)
    assert first(space, "Where did I live before Lisbon?") == "User lives in Berlin"
    assert first(space, "Where did I live before Porto?") == "User moved to Lisbon in March"


def test_a_memory_fits_as_well_as_what_it_superseded(space: Space) -> None:
    learn(space, "User lives in Lisbon", now=MARCH)
    learn(space, "User now works at Globex", now=MAY)
    question = "Where does the user live?"
    [lisbon] = recall(space, SearchRequest(question, limit=1), now=MAY).results
    new = learn(space, "User moved from Lisbon to Porto", now=MAY)

    [porto] = recall(space, SearchRequest(question, limit=1), now=NOW).results
    assert porto.memory.pk == new.pk
    assert porto.similarity == pytest.approx(lisbon.similarity, abs=1e-6)
    restore_memory(space=space, memory_id=lisbon.memory.pk, actor=ALICE, now=NOW)
    found = recall(space, SearchRequest(question, limit=3), now=NOW).results
    assert found[0].memory.pk == lisbon.memory.pk
    assert all(one.similarity < lisbon.similarity for one in found[1:])


def test_the_part_for_the_past_is_explained(space: Space, homes: list[Memory]) -> None:
    request = SearchRequest("Where did I live before Porto?", limit=6, explain=True)
    found = recall(space, request, now=NOW)
    assert [result.rank for result in found.results] == [1, 2, 3, 4, 5, 6]
    by_text = {result.memory.content: result for result in found.results}
    lisbon, berlin = by_text["User lives in Lisbon"], by_text["User lives in Berlin"]
    for result, fits in ((lisbon, 2.0), (berlin, 1.0)):
        parts = dict(result.contributions)
        assert parts.pop("past") == pytest.approx(fits * sum(parts.values()))
        assert sum(result.contributions.values()) == pytest.approx(result.score, abs=1e-9)
        assert set(result.rank_without) == set(parts)
    porto = by_text["User lives in Porto"]
    assert "past" not in porto.contributions
    assert lisbon.relevance >= porto.relevance


@pytest.mark.parametrize(
    ("day", "cities"),
    [(JANUARY, ["Berlin"]), (MARCH, ["Lisbon"]), (NOW, ["Porto"])],
)
def test_as_of_a_day_only_what_was_true_then_is_found(
    space: Space, homes: list[Memory], day: datetime, cities: list[str]
) -> None:
    request = SearchRequest("Where do I live?", limit=20, as_of=end_of(day.date(), day))
    found = recall(space, request, now=NOW)
    said = [result.memory.content for result in found.results]
    assert [text for text in said if "lives" in text] == [f"User lives in {c}" for c in cities]


def test_what_somebody_deleted_is_not_found_in_the_past(space: Space, homes: list[Memory]) -> None:
    porto = homes[2]
    delete_memory(space=space, memory_id=porto.pk, actor=ALICE, now=NOW)
    request = SearchRequest("Where did I live before Lisbon?", limit=20)
    said = [result.memory.content for result in recall(space, request, now=NOW).results]
    assert said[0] == "User lives in Berlin"
    assert porto.content not in said


def test_a_restored_memory_is_true_again(space: Space, homes: list[Memory]) -> None:
    lisbon = homes[1]
    restore_memory(space=space, memory_id=lisbon.pk, actor=ALICE, now=NOW)
    assert stored(lisbon).valid_to is None
    found = recall(space, SearchRequest("Where do I live?", limit=2), now=NOW)
    cities = {result.memory.content for result in found.results}
    assert cities == {"User lives in Lisbon", "User lives in Porto"}


def test_search_takes_as_of_as_a_day_or_a_moment(
    key: MakeKey, space: Space, homes: list[Memory]
) -> None:
    api = ApiClient(key())

    def answer(**asked: str) -> dict[str, object]:
        body = {"query": "Where do I live?", "limit": 1, **asked}
        memory: dict[str, object] = api.post("memories/search", body).json()["results"][0]["memory"]
        return memory

    assert answer(as_of="2026-03-10")["content"] == "User lives in Lisbon"
    assert answer(as_of="2026-03-10T08:59:00Z")["content"] == "User lives in Berlin"
    lisbon = answer(as_of="2026-03-10T11:00:00+01:00")
    assert lisbon["valid_from"] == "2026-03-10T09:00:00Z"
    assert lisbon["valid_to"] == "2026-05-10T09:00:00Z"
    assert answer(as_of="2026-03-10T08:59:00")["content"] == "User lives in Berlin"
    for wrong in ("2026-02-31", "yesterday", "0001-01-01"):
        refused = api.post("memories/search", {"query": "home", "as_of": wrong})
        assert refused.status_code == 422
        assert "as_of" in refused.json()["errors"][0]["field"]
