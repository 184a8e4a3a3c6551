"""Signals, profiles and score against the seeds, word by word."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.formulas import ranking


@pytest.mark.parametrize(
    ("distance", "expected"),
    [(0.0, 1.0), (0.08, 0.92), (1.0, 0.0), (1.4, 0.0), (2.0, 0.0), (-1e-7, 1.0)],
)
def test_semantic_is_the_cosine_similarity_cut_to_the_unit_interval(
    distance: float, expected: float
) -> None:
    assert ranking.semantic(distance) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("distance", [None, math.nan])
def test_semantic_without_a_direction_is_no_match(distance: float | None) -> None:
    assert ranking.semantic(distance) == 0.0


@pytest.mark.parametrize(
    ("text_rank", "expected"), [(0.0, 0.0), (0.6079271, 1.0), (0.425549, 0.7), (0.9, 1.0)]
)
def test_word_match_is_the_weight_of_the_label(text_rank: float, expected: float) -> None:
    """ts_rank gives 6/π² = 0.6079271 for one word that stands once in a text of weight 1."""
    assert ranking.word_match(text_rank) == pytest.approx(expected, abs=1e-6)


def test_rarity_falls_with_every_memory_that_holds_the_word() -> None:
    rarities = [ranking.rarity(holders, 12) for holders in range(13)]
    assert rarities == sorted(rarities, reverse=True)
    assert rarities[-1] > 0
    assert ranking.rarity(1, 800) > 2 * ranking.rarity(1, 12)


@pytest.mark.parametrize(
    ("matched", "asked", "expected"),
    [(0.0, 0.0, 0.0), (0.0, 9.0, 0.0), (4.0, 4.0, 0.4), (9, 9, 0.6)],
)
def test_lexical_is_the_share_matched_of_what_was_asked(
    matched: float, asked: float, expected: float
) -> None:
    assert ranking.lexical(matched, asked, size=100, substance=1) == pytest.approx(expected)


def test_a_long_question_expects_no_more_evidence_than_a_memory_can_have() -> None:
    told, rambling = (ranking.lexical(9, asked, size=100, substance=1) for asked in (24, 240))
    assert rambling == told == pytest.approx(9 / 30)
    assert ranking.lexical(90, 240, size=100, substance=1) == 1.0


@pytest.mark.parametrize(("size", "share"), [(0, 1), (360, 1), (720, 1 / 1.2), (3960, 1 / 3)])
def test_words_of_a_long_memory_count_less(size: int, share: float) -> None:
    short = ranking.lexical(9, 9, size=360, substance=1)
    assert ranking.lexical(9, 9, size=size, substance=1) == pytest.approx(share * short)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Thanks!", 0.14),
        ("What about you?", 0.15),
        ("I have taken up pottery, and my first bowl is done.", 1.0),
        ("And did you go there alone, or was your sister with you?", 0.5),
        ("I paint, swim and cook" + ", and I travel" * 10 + ". What do you do?", 1.0),
    ],
)
def test_a_short_turn_and_a_short_question_say_little(text: str, said: float) -> None:
    size, asks = len(text.encode()), text.endswith("?")
    assert ranking.substance(size, spoken=True, asks=asks) == pytest.approx(said)
    assert ranking.substance(size, spoken=False, asks=asks) == 1.0


def test_words_of_a_memory_without_substance_count_half() -> None:
    full, none = (ranking.lexical(9, 9, size=50, substance=said) for said in (1, 0))
    assert none == pytest.approx(full / 2)


def test_a_profile_that_compares_words_can_trust_the_model_less() -> None:
    hybrid, relevance = ranking.PROFILES["hybrid"], ranking.PROFILES["relevance"]
    assert hybrid.trusting(0.5).weights == hybrid.weights | {"semantic": 0.5}
    assert "semantic" not in hybrid.trusting(0).weights
    assert relevance.trusting(0) == relevance


@pytest.mark.parametrize(
    ("age", "expected"), [(0.0, 1.0), (0.5, 0.983471), (30.0, 0.367879), (365.0, 0.000005)]
)
def test_recency_falls_by_e_in_each_scale(age: float, expected: float) -> None:
    """Seed 000, Scoring Changes: "recency = math.exp(-age_days / self.recency_half_life)"."""
    assert ranking.recency(age, 30) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("age", "expected"), [(0.0, 1.0), (0.5, 1.0), (0.999, 1.0), (1.0, 0.967216), (2.7, 0.935507)]
)
def test_recency_of_seed_000_counts_whole_days(age: float, expected: float) -> None:
    """Seed 000, line 111: "age_days = (datetime.now() - memory.timestamp).days"."""
    assert ranking.recency(age, 30, whole_days=True) == pytest.approx(expected, abs=1e-6)
    assert [name for name, one in ranking.PROFILES.items() if one.whole_days] == ["similar_recent"]


def test_profiles_are_those_of_the_seeds() -> None:
    """Seed 000: "similarity * 0.6 + recency * 0.4". Seed 002: "Apply importance boost during search
    ranking." Seed 003: "候选筛选（取前 300）", "topK=3". Seed 004: "IMPORTANCE_WEIGHT = 0.1",
    "RECENCY_WEIGHT = 0.2", "RELEVANCE_WEIGHT = 1.0", "Pure semantic similarity", "Most recent
    first"."""
    profiles = ranking.PROFILES
    assert profiles["similar_recent"].weights == {"semantic": 0.6, "recency": 0.4}
    assert profiles["typed"].weights == {"semantic": 1.0, "importance": 0.2}
    assert profiles["vivid"].weights == {"semantic": 1.0}
    assert (profiles["vivid"].candidates, profiles["vivid"].limit) == ("importance", 3)
    assert profiles["combined"].weights == {"semantic": 1.0, "recency": 0.2, "importance": 0.1}
    assert profiles["relevance"].weights == {"semantic": 1.0}
    assert profiles["date"].order == "created_at"


def test_profiles_are_named_by_their_key_and_say_where_they_come_from() -> None:
    assert ranking.DEFAULT_PROFILE in ranking.PROFILES
    for name, profile in ranking.PROFILES.items():
        assert profile.name == name
        assert profile.source
        assert tuple(profile.weights) == tuple(s for s in ranking.SIGNALS if s in profile.weights)
        assert profile.weights or profile.order == "created_at"


def test_score_of_the_combined_sort() -> None:
    """Seed 004, Scoring System: "Combined score = (IMPORTANCE_WEIGHT * importance) +
    (RECENCY_WEIGHT * time_score) + (RELEVANCE_WEIGHT * relevance)"."""
    signals = {"semantic": 0.9, "lexical": 1.0, "speaker": 1.0, "recency": 0.5, "importance": 0.8}
    result = ranking.score(signals, ranking.PROFILES["combined"])
    assert result == pytest.approx(0.1 * 0.8 + 0.2 * 0.5 + 1.0 * 0.9)


def test_score_without_importance_is_that_of_seed_000() -> None:
    """Seed 000, Search Scoring Changes: "return similarity * 0.6 + recency * 0.4"."""
    signals = {"semantic": 0.92, "recency": 0.5}
    assert ranking.score(signals, ranking.PROFILES["similar_recent"]) == pytest.approx(0.752)


def test_typed_ranks_the_more_important_of_two_alike_first() -> None:
    """Seed 002, AC-4: "higher-importance records receive higher final ranking scores"."""
    typed = ranking.PROFILES["typed"]
    low = ranking.score({"semantic": 0.8, "importance": 0.3}, typed)
    assert ranking.score({"semantic": 0.8, "importance": 0.9}, typed) > low


def test_contributions_name_a_missing_signal() -> None:
    with pytest.raises(KeyError, match="recency"):
        ranking.contributions({"semantic": 0.5}, ranking.PROFILES["similar_recent"])


@given(
    signals=st.fixed_dictionaries({signal: st.floats(0, 1) for signal in ranking.SIGNALS}),
    profile=st.sampled_from(list(ranking.PROFILES.values())),
)
def test_contributions_add_up_to_the_score(
    signals: dict[str, float], profile: ranking.Profile
) -> None:
    parts = ranking.contributions(signals, profile)
    assert set(parts) == set(profile.weights)
    assert math.fsum(parts.values()) == pytest.approx(ranking.score(signals, profile), abs=1e-12)


@pytest.mark.parametrize(
    ("similarity", "percent"),
    [
        (0.92, 92),
        (0.95, 95),
        (0.87, 87),
        (0.925, 93),
        (0.005, 1),
        (0.0049, 0),
        (0.994, 99),
        (1.0, 100),
        (0.0, 0),
        (-0.2, 0),
        (1.0000001, 100),
    ],
)
def test_match_percent_rounds_halves_up(similarity: float, percent: int) -> None:
    """Seed 000, Search Output Format: "(95% match, id: f926ff7f)", "(87% match, id: 33705b40)"."""
    assert ranking.match_percent(similarity) == percent
