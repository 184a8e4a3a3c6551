"""What a first start makes, and what later ones leave alone."""

from pytest_django import Settings

from config.moderators import MAY, make_moderators
from config.preparation import make_demo_space
from memory.actors import SYSTEM
from memory.models import Embedder, Membership, Space
from memory.services.spaces import create_space, delete_space


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


def test_the_moderators_group_keeps_what_an_administrator_changed(db: None) -> None:
    group = make_moderators()
    assert group.permissions.count() == sum(len(names) for names in MAY.values())
    group.permissions.clear()

    assert make_moderators().permissions.count() == 0
