"""Memories."""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Exists, Expression, F, Func, OuterRef, Q, TextField, Value
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce, Now
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import Embedder, Space
from accounts.models.personal import Attributed, PersonalQuerySet
from accounts.models.space_rows import SpaceRow
from foundation.texts.forms import folded, tag_spellings
from memory.formulas import importance_sql, retention_sql
from memory.formulas.expressions import Moment
from memory.formulas.retention import Tiers, after_event, expires_at
from memory.models.choices import BinReason, MemoryType, Status
from memory.models.dated import BY_SUCCESSOR, Dated
from memory.models.embedders import MemoryEmbedding
from memory.models.learned import Learned
from memory.models.reasons import QUOTE_BEGINS
from memory.policy import DecayPolicy

SHORT_ID = re.compile(r"[0-9a-f]{8}")
"""The short id of a memory: the beginning of its id."""
LEGACY_ID = re.compile(r"[0-9a-f]{6}")
"""The id of a memory in the files of seed 000. An imported memory can still be found by it."""


class MemoryQuerySet(PersonalQuerySet["Memory"]):
    """Queries on memories; each begins with `in_space`."""

    def in_space(self, space: Space) -> MemoryQuerySet:
        """Return the memories of this space."""
        return self.filter(space_id=space.pk)

    def live(self) -> MemoryQuerySet:
        """Return the live memories."""
        return self.filter(status="live")

    def in_review(self) -> MemoryQuerySet:
        """Return the memories in review."""
        return self.filter(status="review")

    def held_as(self, kind: str) -> MemoryQuerySet:
        """Return the memories in review for this kind of reason (models.review_reasons)."""
        as_quoted = Q(review_reason__startswith=f"{kind}{QUOTE_BEGINS}")
        return self.in_review().filter(Q(review_reason=kind) | as_quoted)

    def rejected(self) -> MemoryQuerySet:
        """Return the rejected memories that are still in the bin."""
        return self.binned().filter(bin_reason="rejected")

    def binned(self) -> MemoryQuerySet:
        """Return the memories in the bin."""
        return self.filter(status="binned")

    def referred_to(self, *references: str) -> MemoryQuerySet:
        """Return the memories with these whole, short or legacy ids; raises ValueError for other
        texts."""
        short = [reference for reference in references if SHORT_ID.fullmatch(reference)]
        legacy = [reference for reference in references if LEGACY_ID.fullmatch(reference)]
        others = [reference for reference in references if reference not in {*short, *legacy}]
        whole = [uuid.UUID(reference) for reference in others]
        found = Q(short_id__in=short) | Q(pk__in=whole)
        return self.filter(found | Q(legacy_id__in=legacy) if legacy else found)

    def without_vector_by(self, embedder: Embedder) -> MemoryQuerySet:
        """Return the memories that this model has not embedded, in the bin or not."""
        vectors = MemoryEmbedding.objects.filter(
            space_id=OuterRef("space_id"), embedder_id=embedder.pk, memory_id=OuterRef("pk")
        )
        return self.filter(~Exists(vectors))

    def whole(self, places: Sequence[Memory]) -> list[Memory]:
        """Return these memories with all fields that pages show, in their order, unless deleted."""
        found = self.defer("search").in_bulk([place.pk for place in places])
        return [found[place.pk] for place in places if place.pk in found]

    def saying(self, text: str) -> MemoryQuerySet:
        """Return memories with this plain text in the content, or as a tag, in any case."""
        said = Q(content__folded__contains=folded(text))
        return self.filter(said | Q(tags__overlap=tag_spellings(text)))

    def with_importance_now(self, *, decay: DecayPolicy, now: Moment) -> MemoryQuerySet:
        """Add `time_coef` and `current_importance`, both in [0, 1], as of `now`."""
        age = importance_sql.age_days(Coalesce("last_active_at", "created_at"), now)
        coefficient = importance_sql.time_coef(
            age,
            F("use_count"),
            core=Q(core=True) | Q(pinned=True),
            floor=decay.floor,
            scale_days=decay.scale_days,
        )
        return self.annotate(time_coef=coefficient).annotate(
            current_importance=importance_sql.current_importance(F("importance"), F("time_coef"))
        )


def expiry_from(start: Moment, tiers: Tiers) -> Expression:
    """Return SQL for `Memory.expiry_from`."""
    persistence = Cast(KeyTextTransform("P", "facets"), models.FloatField())
    expiry = retention_sql.expires_at(start, F("importance"), tiers, persistence)
    return retention_sql.after_event(expiry, start, F("event_at"), F("event_precision"))


def search_in_space() -> Func:
    """Return the text index's expression: a memory's words and, as one more word, "@" with its
    space's number.

    A query for both is answered from inside the space, however many other spaces have the same
    words. (Migrations compare the arguments in alphabetical order.)
    """
    name = Func(
        Value("@"), Cast("space_id", TextField()), arg_joiner=" || ", template="%(expressions)s"
    )
    word = Func(name, template="array_to_tsvector(ARRAY[%(expressions)s])")
    return Func(
        F("search"),
        word,
        arg_joiner=" || ",
        template="(%(expressions)s)",
        output_field=SearchVectorField(),
    )


class Memory(SpaceRow, Attributed, Dated, Learned):
    """One statement worth knowing later.

    `importance` is the immutable base in [0, 1]. The values that depend on the clock (time
    coefficient, current importance) are computed at each read and never written back.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    space = models.ForeignKey(
        "accounts.Space", models.CASCADE, related_name="memories", verbose_name=_("space")
    )
    short_id = models.CharField(_("short ID"), max_length=8, editable=False)
    # Its id in a file of seed 000; empty for all other memories.
    legacy_id = models.CharField(
        max_length=6, blank=True, default="", db_default="", editable=False
    )
    content = models.TextField(_("content"))
    memory_type = models.CharField(_("type"), max_length=12, choices=MemoryType)
    tags = ArrayField(
        models.CharField(max_length=60), default=list, blank=True, verbose_name=_("tags")
    )
    topics = ArrayField(
        models.CharField(max_length=120), default=list, blank=True, verbose_name=_("topics")
    )
    importance = models.FloatField(
        _("importance"), validators=[MinValueValidator(0.0), MaxValueValidator(1.0)]
    )
    facets = models.JSONField(_("facets"), null=True, blank=True)
    # The importance before restatements raised it; null if none did.
    reinforced_from = models.FloatField(null=True, blank=True, editable=False)
    core = models.BooleanField(_("core"), default=False)
    pinned = models.BooleanField(_("pinned"), default=False)
    status = models.CharField(_("status"), max_length=6, choices=Status, default=Status.LIVE)

    last_active_at = models.DateTimeField(_("last used"), null=True, blank=True)
    use_count = models.PositiveIntegerField(_("uses"), default=0)
    # The start of the current lifetime: the memory was saved (however old the statement), used,
    # given another importance, or restored. A new TTL counts from here.
    clock_started_at = models.DateTimeField(
        _("lifetime starts"), default=timezone.now, db_default=Now(), editable=False
    )
    expires_at = models.DateTimeField(_("expires"), null=True, blank=True)
    restored_at = models.DateTimeField(_("restored"), null=True, blank=True, editable=False)
    revision = models.PositiveIntegerField(_("revision"), default=1)

    # The source. Conversations and assessments belong to other apps: names, not foreign keys.
    source_role = models.CharField(_("speaker role"), max_length=20, default="user")
    source_speaker = models.CharField(_("speaker"), max_length=120, blank=True)
    source_conversation = models.CharField(_("conversation"), max_length=200, blank=True)
    # The order of a conversation's turns that have the same time.
    source_position = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    source_assessment = models.UUIDField(_("assessment"), null=True, blank=True)
    source_place = models.PositiveSmallIntegerField(default=0, db_default=0, editable=False)

    # Why the memory was sent to review; kept after its approval.
    review_reason = models.TextField(_("review reason"), blank=True, editable=False)
    # The proposed change to another memory (review.proposals); null for none.
    review_proposal = models.JSONField(null=True, blank=True, editable=False)

    # Set while the memory is in the bin.
    binned_at = models.DateTimeField(_("moved to bin"), null=True, blank=True)
    bin_reason = models.CharField(_("reason"), max_length=14, choices=BinReason, blank=True)
    importance_then = models.FloatField(_("importance at that time"), null=True, blank=True)
    rank_then = models.PositiveIntegerField(_("rank at that time"), null=True, blank=True)

    # Prepared by memory.text.lexemes in the space's language.
    search = SearchVectorField(editable=False)

    objects: ClassVar[MemoryQuerySet] = MemoryQuerySet.as_manager()  # type: ignore[assignment]  # a manager made from a queryset has the queryset's methods; the stubs know no name for it

    class Meta:
        verbose_name = _("memory")
        verbose_name_plural = _("memories")
        constraints = [
            models.UniqueConstraint(fields=["space", "short_id"], name="memory_short_id_in_space"),
            models.UniqueConstraint(
                fields=["space", "legacy_id"], condition=~Q(legacy_id=""),
                name="memory_legacy_id_in_space",
            ),
            # Each user's own, so that a user learns nothing about the ids of others.
            models.UniqueConstraint(
                fields=["space", "user_id", "external_id"], nulls_distinct=False,
                condition=Q(external_id__isnull=False), name="memory_external_id_in_space_of_user",
            ),
            models.UniqueConstraint(
                fields=["space", "source_assessment", "source_place"], name="memory_per_place"),
            models.CheckConstraint(
                condition=Q(importance__gte=0.0, importance__lte=1.0), name="memory_importance_0_1"
            ),
            models.CheckConstraint(condition=~Q(content=""), name="memory_content_not_empty"),
            models.CheckConstraint(
                condition=Q(status="binned", binned_at__isnull=False)
                | (~Q(status="binned") & Q(binned_at__isnull=True)),
                name="memory_binned_has_time",
            ),
        ]  # fmt: skip
        indexes = [
            models.Index(fields=["space", "status", "created_at", "id"], name="memory_by_age"),
            models.Index(
                F("space"), F("expires_at"), condition=Q(status="live"), name="memory_live_expiry"
            ),
            # The bin in its order, and the counts by reason.
            models.Index(
                fields=["space", "binned_at", "id"],
                include=["bin_reason"],
                condition=Q(status="binned"),
                name="memory_in_bin",
            ),
            models.Index(
                F("space"),
                F("importance").desc(),
                condition=Q(status="live"),
                name="memory_live_importance",
            ),
            # The columns that pages count by, so that counting reads some 100 bytes per memory. In
            # the order of the table: by random ids the index pages would be two thirds empty.
            models.Index(
                fields=["space"],
                include=[
                    "id",
                    "created_at",
                    "importance",
                    "use_count",
                    "core",
                    "pinned",
                    "expires_at",
                    "last_active_at",
                    "restored_at",
                    "memory_type",
                    "user_id",
                ],
                condition=Q(status="live"),
                name="memory_live_columns",
            ),
            models.Index(
                fields=["space", "user_id", "status"],
                condition=Q(user_id__isnull=False),
                name="memory_by_user",
            ),
            # For the moderators' list of all spaces.
            models.Index(fields=["created_at", "id"], name="memory_of_all_by_age"),
            models.Index(
                F("space"),
                F("source_conversation"),
                F("created_at"),
                F("source_position"),
                condition=~Q(source_conversation=""),
                name="memory_turns",
            ),
            GinIndex(search_in_space(), name="memory_search_in_space"),
            GinIndex(fields=["metadata"], opclasses=["jsonb_path_ops"], name="memory_metadata"),
            BY_SUCCESSOR,
        ]

    def __str__(self) -> str:
        return self.content[:80]

    def expiry_from(self, start: datetime, tiers: Tiers) -> datetime | None:
        """Return the expiry of a lifetime that starts at `start` (UTC); None for never."""
        persistence = float(self.facets["P"]) if self.facets else None
        expiry = expires_at(start, self.importance, tiers, persistence)
        return after_event(expiry, start, self.event_at, self.event_precision)
