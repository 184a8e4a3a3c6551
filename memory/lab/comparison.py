"""The ranking lab: its request, read from the URL, and its columns as they are drawn.

asked     a question, and profiles or custom weights, from the URL
columns   each profile's results, with moved places and the parts of each score
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Final, TypedDict, Unpack
from urllib.parse import urlencode
from uuid import UUID

from django.utils.translation import gettext as _

from accounts.forms import SentText
from accounts.models import Space
from foundation.moments import end_of
from foundation.readers import Reader
from memory.formulas.ranking import DEFAULT_PROFILE, PROFILES, SIGNALS, Profile
from memory.formulas.rounding import rounded_parts
from memory.lab.as_of import day_in
from memory.lab.labels import PART_WORDS, SIGNAL_WORDS
from memory.models.policies import Policy
from memory.policies.profiles import PROFILE_MEANINGS, PROFILE_NAMES
from memory.policy import PolicyDocument
from memory.recall.recall import Recall, compare
from memory.recall.results import Result

if TYPE_CHECKING:
    from django.http import QueryDict

OWN: Final = "own"
"""The name of the column with custom weights; a policy cannot name it."""
MAX_COLUMNS = 4
MAX_QUERY = 500  # characters
DEPTH = 10  # memories per column
HEAVIEST = 3.0


@dataclass(frozen=True)
class LabRequest:
    """A question, names of columns, weights for the custom column, and a day to answer as of."""

    query: str
    names: Sequence[str]
    weights: Mapping[str, float]
    as_of: date | None = None

    @property
    def profiles(self) -> list[Profile]:
        """The profiles of the columns, in order."""
        return [self._own_profile() if name == OWN else PROFILES[name] for name in self.names]

    def _own_profile(self) -> Profile:
        return Profile(
            name=OWN,
            semantic=self.weights["semantic"],
            lexical=self.weights["lexical"],
            speaker=self.weights["speaker"],
            recency=self.weights["recency"],
            importance=self.weights["importance"],
            source="tried in the lab",
        )

    @property
    def state(self) -> str:
        """The whole request as the query string of a URL."""
        return self.with_query(self.query)

    def with_query(self, query: str) -> str:
        """Return the query string of the same columns for another question."""
        weights = [(name, f"{weight:g}") for name, weight in self.weights.items()]
        columns = [("profile", name) for name in self.names]
        day = [("as_of", self.as_of.isoformat())] if self.as_of else []
        return urlencode([("q", query), *columns, *(weights if OWN in self.names else []), *day])

    def tuned(self, profile: Profile) -> str:
        """Return the query string that puts this profile's weights in a custom column beside it."""
        others = [name for name in self.names if name not in (OWN, profile.name)]
        names = [profile.name, OWN, *others][:MAX_COLUMNS]
        return LabRequest(self.query, names, _all_weights(profile), self.as_of).state


def asked(params: QueryDict, document: PolicyDocument) -> tuple[LabRequest, list[str]]:
    """Return the valid part of the URL's request, and a sentence for each error.

    Defaults: the policy's own profile, another one to compare with, and the policy profile's
    weights.
    """
    query = SentText().clean(params.get("q"))
    wrong = []
    if len(query) > MAX_QUERY:
        wrong.append(
            _("The question is too long: use at most %(n)d characters.") % {"n": MAX_QUERY}
        )
        query = query[:MAX_QUERY]
    names = list(dict.fromkeys(name for name in params.getlist("profile") if name))
    known = [name for name in names if name in PROFILES or name == OWN]
    for name in names:
        if name not in known:
            said = {"name": name[:40], "known": ", ".join(PROFILES)}
            wrong.append(_("There is no profile “%(name)s”. Choose one of: %(known)s.") % said)
    if len(known) > MAX_COLUMNS:
        wrong.append(_("Compare at most %(n)d columns.") % {"n": MAX_COLUMNS})
    holds = document.recall.profile
    weights, refused = _weights(params, PROFILES[holds])
    day, no_day = day_in(params)
    wrong += [*(refused if OWN in known else []), *no_day]
    names = known[:MAX_COLUMNS] or [holds, "relevance" if holds != "relevance" else DEFAULT_PROFILE]
    return LabRequest(query, names, weights, day), wrong


def _weights(params: QueryDict, otherwise: Profile) -> tuple[dict[str, float], list[str]]:
    weights, wrong = _all_weights(otherwise), []
    for signal in SIGNALS:
        if signal not in params:
            continue
        try:
            weight = float(params.get(signal, ""))
        except ValueError:
            weight = math.nan
        if 0.0 <= weight <= HEAVIEST:
            weights[signal] = weight + 0.0  # not -0.0
        else:
            said = {"signal": SIGNAL_WORDS[signal], "most": f"{HEAVIEST:g}"}
            wrong.append(_("%(signal)s: enter a weight from 0 to %(most)s.") % said)
    if not any(weights.values()):
        wrong.append(_("At least one weight must be above 0."))
    return weights, wrong


def _all_weights(profile: Profile) -> dict[str, float]:
    return {signal: profile.weights.get(signal, 0.0) for signal in SIGNALS}


@dataclass(frozen=True)
class Part:
    """A signal's contribution, rounded so that all add up to the rounded score, and its segment of
    the bar: 0..1 of the column's best score. A negative contribution has none."""

    signal: str
    value: float
    x: float
    width: float

    @property
    def word(self) -> str:
        return str(PART_WORDS[self.signal])


@dataclass(frozen=True)
class Row:
    """A memory at its rank; `stood` is its rank in the previous column, None if it was not there.
    `is_last` marks the last one that would be sent to the model, `is_unlikely` one below the
    policy's minimum relevance, which would not be sent.
    """

    result: Result
    place: int
    stood: int | None
    parts: Sequence[Part]
    is_last: bool
    is_unlikely: bool
    mark: bool | None

    @property
    def id(self) -> UUID:
        return self.result.memory.pk


@dataclass(frozen=True)
class Link:
    """A line from a memory's place in one column to its place in the next, in rows from the top."""

    id: UUID
    begin: float
    end: float

    @property
    def kind(self) -> str:
        return "same" if self.begin == self.end else "up" if self.end < self.begin else "down"

    @property
    def path(self) -> str:
        return f"M0 {self.begin}C.5 {self.begin} .5 {self.end} 1 {self.end}"


@dataclass(frozen=True)
class Column:
    """A profile's results. `links` lead to the next column; `lost` counts results of the previous
    one that are missing here. `tuned` is the URL for changing the weights.
    """

    recall: Recall
    rows: Sequence[Row]
    is_first: bool
    lost: int
    tuned: str
    links: list[Link] = field(default_factory=list)

    @property
    def profile(self) -> Profile:
        return self.recall.profile

    @property
    def is_own(self) -> bool:
        return self.profile.name == OWN

    @property
    def label(self) -> str:
        return _("custom weights") if self.is_own else str(PROFILE_NAMES[self.profile.name])

    @property
    def meaning(self) -> str:
        """The description of the profile."""
        if self.is_own:
            return _("for this comparison only")
        return str(PROFILE_MEANINGS[self.profile.name])

    @property
    def weights(self) -> list[tuple[str, str]]:
        """The labels of the profile's signals, with their weights as text."""
        return [(str(SIGNAL_WORDS[name]), f"{n:g}") for name, n in self.profile.weights.items()]


class Asker(TypedDict):
    """The space, the reader of its memories, and the time of a comparison."""

    space: Space
    reader: Reader
    now: datetime


def columns(
    *, policy: Policy, asked: LabRequest, marks: Mapping[UUID, bool], **who_and_when: Unpack[Asker]
) -> list[Column]:
    """Return a column for each profile, with the question's results. Raises EmbeddingError."""
    [found] = compare(
        policy=policy,
        queries=[asked.query],
        profiles=asked.profiles,
        limit=DEPTH,
        as_of=end_of(asked.as_of, who_and_when["now"]) if asked.as_of else None,
        **who_and_when,
    )
    drawn: list[Column] = []
    before: Mapping[UUID, int] = {}
    for recall in found:
        places = {id_: place for place, id_ in enumerate(recall.memory_ids, 1)}
        if drawn:
            drawn[-1].links.extend(
                Link(id_, before[id_] - 0.5, place - 0.5)
                for id_, place in places.items()
                if id_ in before
            )
        rows = _rows(recall, before, marks)
        can_be_tuned = recall.profile.weights and recall.profile.name != OWN
        tuned = asked.tuned(recall.profile) if can_be_tuned else ""
        drawn.append(Column(recall, rows, not drawn, len(before.keys() - places.keys()), tuned))
        before = places
    return drawn


def _rows(recall: Recall, before: Mapping[UUID, int], marks: Mapping[UUID, bool]) -> list[Row]:
    results, rules = recall.results, recall.policy.document.recall
    best = max((one.score for one in results), default=0.0) or 1.0
    least = rules.min_relevance if recall.profile.order == "score" else 0.0
    within = results[: recall.profile.limit or rules.limit]
    last = max((place for place, one in enumerate(within, 1) if one.relevance >= least), default=0)
    return [
        Row(
            one,
            place,
            before.get(one.memory.pk),
            _parts(one, best),
            place == last < len(results),
            one.relevance < least,
            marks.get(one.memory.pk),
        )
        for place, one in enumerate(results, 1)
    ]


def _parts(result: Result, best: float) -> list[Part]:
    parts, begin = [], 0.0
    shown = rounded_parts(result.contributions, result.score)
    gained = sum(max(0.0, value) for value in result.contributions.values()) or 1.0
    for signal, value in result.contributions.items():
        width = max(0.0, value) / gained * result.score / best
        parts.append(Part(signal, shown[signal], begin, width))
        begin += width
    return parts
