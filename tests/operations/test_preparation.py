"""The first start creates the database's contents; later starts leave them alone."""

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from pytest_django import Settings

from accounts.models import Embedder, Membership, Space
from accounts.moderators import MAY, make_moderators
from foundation.actors import SYSTEM
from memory.spaces.services import create_space, delete_space
from operations.preconditions import StartError
from operations.startup.preparation import make_demo_space, refuse_newer


def test_the_demo_space_is_made_once(embedder: Embedder, settings: Settings) -> None:
    settings.EBB_DEMO_DATA = False
    for _ in range(2):
        make_demo_space(embedder)
    demo = Space.objects.get()
    assert Membership.objects.get().role == "owner"

    create_space(slug="mine", name="Mine", embedder=embedder, actor=SYSTEM)
    delete_space(space=demo, actor=SYSTEM)
    make_demo_space(embedder)
    assert Space.objects.get().slug == "mine"


@pytest.mark.parametrize("slug", ["mine", "demo"])
def test_a_space_that_a_key_was_made_for_first_keeps_nobody_from_having_an_owner(
    embedder: Embedder, slug: str
) -> None:
    """`create_api_key --create-space` beside the very first start."""
    create_space(slug=slug, name=slug, embedder=embedder, actor=SYSTEM)

    make_demo_space(embedder)

    owner = Membership.objects.get()
    assert (owner.user.get_username(), owner.space.slug, owner.role) == ("owner", "demo", "owner")
    assert set(Space.objects.values_list("slug", flat=True)) == {slug, "demo"}


def test_the_moderators_group_keeps_what_an_administrator_changed(db: None) -> None:
    group = make_moderators()
    assert group.permissions.count() == sum(len(names) for names in MAY.values())
    group.permissions.clear()

    assert make_moderators().permissions.count() == 0


@pytest.mark.django_db
def test_a_database_that_a_newer_ebb_has_prepared_is_refused() -> None:
    MigrationRecorder(connection).record_applied("memory", "9999_from_tomorrow")

    with pytest.raises(StartError, match="A newer Ebb .*memory 9999_from_tomorrow"):
        refuse_newer()
