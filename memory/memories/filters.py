"""Filters and order of the list of memories, as given in its URL.

Unknown values are dropped, so that an old or mistyped URL still shows a list.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.db.models import Q
from django.http import QueryDict

from accounts.forms import AddressForm, OneOf, SentText
from foundation.texts.forms import tag_form, tag_spellings
from foundation.texts.names import MAX_NAME
from memory.formulas.importance import TYPE_IMPORTANCE
from memory.models import Status
from memory.models.memories import MemoryQuerySet
from memory.policy import DecayPolicy
from memory.retention.overview import BANDS

AGES = {"day": (0, 1), "week": (0, 7), "month": (0, 30), "older": (30, None), "year": (365, None)}
"""Age in days: at least, and less than."""
LEAVING = {"day": 1, "week": 7, "month": 30}
"""Days within which an unused memory expires."""
LIFETIMES = (*LEAVING, "later", "permanent", "pinned")
ORDERS = ("-created_at", "-current_importance", "expires_at", "-use_count")


class _FilterForm(AddressForm):
    q = SentText(2000)
    type = OneOf(TYPE_IMPORTANCE)
    tag = SentText(60)
    importance = OneOf(BANDS)
    age = OneOf(AGES)
    lifetime = OneOf(LIFETIMES)
    user = SentText(MAX_NAME, is_id=True)
    status = OneOf(Status.values, Status.LIVE.value)
    order = OneOf(ORDERS, ORDERS[0])


@dataclass(frozen=True)
class Filters:
    """The filters by their names in the URL; each is "" or its first value unless given."""

    q: str = ""
    type: str = ""
    tag: str = ""
    importance: str = ""
    age: str = ""
    lifetime: str = ""
    user: str = ""
    status: str = Status.LIVE.value
    order: str = ORDERS[0]

    @classmethod
    def of(cls, address: QueryDict) -> Filters:
        """Return the filters given in a URL."""
        asked = _FilterForm.read(address)
        return cls(**asked | {"tag": tag_form(asked["tag"])})

    @property
    def address(self) -> str:
        """The shortest query string for these filters."""
        asked = {one.name: getattr(self, one.name) for one in fields(self)}
        return urlencode({name: v for name, v in asked.items() if v != getattr(Filters, name)})

    @property
    def is_search(self) -> bool:
        """True if recall answers, which finds only live memories; others are searched by their
        words.
        """
        return bool(self.q) and self.status == Status.LIVE

    @property
    def is_narrow(self) -> bool:
        """True if the list is limited to a part of the live memories."""
        return bool(self.q or self.type or self.further)

    @property
    def further(self) -> int:
        """The number of active filters among the folded ones."""
        folded = (self.tag, self.importance, self.age, self.lifetime, self.user)
        return sum(map(bool, folded)) + (self.status != Status.LIVE)

    @property
    def leaves_pinned_out(self) -> bool:
        """True if sorted by expiry: a pinned memory's date applies only once it is unpinned."""
        return self.order == "expires_at" and self.lifetime not in {"pinned", "permanent"}

    def narrowed(
        self, rows: MemoryQuerySet, *, decay: DecayPolicy, now: datetime
    ) -> MemoryQuerySet:
        """Return the matching memories, with `current_importance`; ignores the search text."""
        rows = rows.filter(status=self.status).with_importance_now(decay=decay, now=now)
        if self.type:
            rows = rows.filter(memory_type=self.type)
        if self.tag:
            rows = rows.filter(tags__overlap=tag_spellings(self.tag))
        return rows.filter(self.rest(decay=decay, now=now))

    def rest(self, *, decay: DecayPolicy, now: datetime) -> Q:
        """Return the condition of the filters other than the status, the type and the tag, on rows
        with `current_importance`."""
        rest = Q(user_id=self.user) if self.user else Q()
        if self.importance:
            rest &= _in_band(self.importance, decay)
        if self.age:
            rest &= _of_age(self.age, now)
        if self.leaves_pinned_out:
            rest &= Q(pinned=False)
        return rest & _lives(self.lifetime, now) if self.lifetime else rest


def _in_band(name: str, decay: DecayPolicy) -> Q:
    """Return the condition for a band of importance. It also bounds the base importance, which has
    an index: time removes at most the part above the decay's floor.
    """
    at_least = BANDS[name]
    within = Q(current_importance__gte=at_least, importance__gte=at_least)
    above = min((bound for bound in BANDS.values() if bound > at_least), default=None)
    if above is None:
        return within
    below = Q(current_importance__lt=above)
    return within & below & (Q(importance__lte=above / decay.floor) if decay.floor else Q())


def _of_age(name: str, now: datetime) -> Q:
    least, less_than = AGES[name]
    asked = Q(created_at__lte=now - timedelta(days=least)) if least else Q()
    return asked & (Q(created_at__gt=now - timedelta(days=less_than)) if less_than else Q())


def _lives(name: str, now: datetime) -> Q:
    if name == "pinned":
        return Q(pinned=True)
    if name == "permanent":
        return Q(pinned=True) | Q(expires_at__isnull=True)
    if name == "later":
        longest = max(LEAVING.values())
        return Q(pinned=False, expires_at__gte=now + timedelta(days=longest))
    return Q(pinned=False, expires_at__lt=now + timedelta(days=LEAVING[name]))
