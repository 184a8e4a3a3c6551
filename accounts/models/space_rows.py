"""The base of tables whose rows belong to one space, and the foreign keys between them.

Every statement names the space of each table that it reads or writes, so that a distributed
database can send it to the one shard with that space.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self, TypeVar

from django.db import models
from django.db.models.lookups import Exact
from django.db.models.sql.where import AND, WhereNode

_Set = TypeVar("_Set")
_Get = TypeVar("_Get")


class SpaceRow(models.Model):
    """A row of one space. `save` and `refresh_from_db` find it by its space and its id."""

    class Meta:
        abstract = True

    def refresh_from_db(
        self,
        using: str | None = None,
        fields: Iterable[str] | None = None,
        from_queryset: models.QuerySet[Self] | None = None,
    ) -> None:
        """Read the row again, by its space and id: the key that one shard needs."""
        rows = type(self)._base_manager.all() if from_queryset is None else from_queryset
        super().refresh_from_db(using, fields, self._of_its_space(rows))

    def _do_update(self, base_qs: models.QuerySet[Self], *rest: Any, **options: Any) -> Any:
        return super()._do_update(self._of_its_space(base_qs), *rest, **options)

    def _of_its_space(self, rows: models.QuerySet[Self]) -> models.QuerySet[Self]:
        """Return these rows in its space; all while the space itself was not loaded."""
        space_id = self.__dict__.get("space_id")
        return rows if space_id is None else rows.filter(space_id=space_id)


class SpaceForeignKey(models.ForeignKey[_Set, _Get]):
    """A foreign key to a row of the same space. Joins and look-ups along it compare the spaces.

    In migrations it is a foreign key without a constraint; foundation.database.space_keys adds
    that.
    """

    def deconstruct(self) -> tuple[str, str, Any, Any]:
        """Write a plain foreign key without a constraint into migrations."""
        name, _path, arguments, options = super().deconstruct()
        return name, "django.db.models.ForeignKey", arguments, {**options, "db_constraint": False}

    def get_extra_restriction(self, alias: str | None, related_alias: str) -> WhereNode | None:
        """Return the condition of a join that both rows belong to one space. In `exclude()` along
        the key Django has no alias for one side, and no condition is added."""
        if alias is None:
            return None
        both: tuple[Any, Any] = (self.related_model, self.model)
        target, own = (model._meta.get_field("space") for model in both)
        condition = WhereNode()
        condition.add(Exact(own.get_col(related_alias), target.get_col(alias)), AND)
        return condition

    def get_extra_descriptor_filter(self, instance: Any) -> dict[str, Any]:
        """Return the filter of `row.relation`: the row's own space."""
        return {"space_id": instance.space_id}
