"""The pages of spaces, members and the own account: who may, what is done, what is refused."""

from datetime import timedelta

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from accounts.members.invitations import accept
from accounts.members.services import add_member, remove_member
from accounts.models import AuditEntry, Invitation, Membership, Role, Space, User
from assessor.assessing import Exchange
from assessor.outbox.services import queue_assessment
from chat.models import Conversation
from foundation.actors import SYSTEM
from foundation.errors import Conflict
from memory.jobs.running import work_at
from memory.models import Memory, MemoryEvent
from memory.models.policies import current_policy
from memory.spaces.deletion import GRACE, deletion, start_due
from tests.conftest import Answer, MakeKey
from tests.memory.claiming import claimed
from tests.memory.writing import ALICE, NOW, remember, stored
from tests.pages import login


def post(user: User, page: str, /, *args: object, at: str = "home", **form: str) -> Answer:
    return login(user).post(reverse(page, args=[at, *args]), form)


def role_of(space: Space, user: User) -> str | None:
    found = Membership.objects.filter(space=space, user=user).first()
    return found.role if found else None


def told(space: Space) -> list[tuple[str, str, str]]:
    rows = AuditEntry.objects.in_space(space).order_by("pk")
    return list(rows.values_list("action", "subject", "actor_name"))


def member(space: Space, user: User) -> int:
    return Membership.objects.get(space=space, user=user).pk


def test_members_come_change_and_go_in_the_owners_name(
    space: Space, alice: User, charlie: User
) -> None:
    post(alice, "members_invite", username="charlie", role="viewer")
    assert role_of(space, charlie) is None
    accept(invitation=Invitation.objects.get(), user=charlie, now=timezone.now())
    post(alice, "members_change", member(space, charlie), role="editor")
    assert role_of(space, charlie) == Role.EDITOR
    chinese = {"Accept-Language": "zh-hans"}
    listed = login(alice).get(reverse("members", args=["home"]), headers=chinese)
    assert "角色 编辑者 · 之前 查看者" in listed.text
    post(alice, "members_remove", member(space, charlie))

    assert role_of(space, charlie) is None
    assert told(space)[-4:] == [
        ("member.invited", "charlie", "alice"),
        ("member.added", "charlie", "charlie"),
        ("member.changed", "charlie", "alice"),
        ("member.removed", "charlie", "alice"),
    ]


def test_the_last_owner_stays(space: Space, alice: User, bob: User) -> None:
    for name in ("members_change", "members_remove"):
        answer = post(alice, name, member(space, alice), role="viewer")
        assert "A space needs an owner" in answer.text
    with pytest.raises(Conflict, match="needs an owner"):
        remove_member(
            membership=Membership.objects.get(space=space, user=alice), actor=ALICE, now=NOW
        )
    assert role_of(space, alice) == Role.OWNER

    add_member(space=space, user=bob, role=Role.OWNER, actor=ALICE, now=NOW)
    assert post(alice, "members_change", member(space, alice), role="viewer").status_code == 302
    assert role_of(space, alice) == Role.VIEWER


def test_only_owners_steer_members_and_spaces(
    space: Space, alice: User, bob: User, charlie: User
) -> None:
    page = login(bob).get(reverse("members", args=["home"]))
    assert "alice" in page.text
    assert "Mail address or user name" not in page.text
    assert "Activity log" not in page.text
    for name, args in (
        ("members_invite", []), ("members_change", [member(space, bob)]),
        ("members_remove", [member(space, bob)]),
        ("members_renew", [1]), ("members_withdraw", [1]),
        ("spaces_create", []), ("spaces_change", []), ("spaces_delete", []),
        ("models_try", ["chat"]),
    ):  # fmt: skip
        form = {"role": "owner", "username": "bob", "name": "x", "language": "en"}
        assert post(bob, name, *args, **form).status_code == 403, name
        assert post(charlie, name, *args, **form).status_code == 404, name
    # Nor does an owner of one space reach into another.
    assert post(charlie, "members_remove", member(space, bob), at="other").status_code == 404
    assert role_of(space, bob) == Role.VIEWER


def test_a_name_that_no_account_can_have_is_refused(space: Space, alice: User) -> None:
    for name in ("<dana>", "dana@nowhere", "x" * 151):
        refused = post(alice, "members_invite", username=name, role="editor").text
        assert 'class="note bad"' in refused
    assert 'value="&lt;dana&gt;"' in post(alice, "members_invite", username="<dana>").text
    assert not Invitation.objects.exists()


def test_a_long_name_of_a_space_gives_a_short_name_that_fits(space: Space, alice: User) -> None:
    post(alice, "spaces_create", name="W" * 120, slug="", language="en")

    assert Space.objects.get(name="W" * 120).slug == "w" * 60


def test_a_space_is_made_and_changed(space: Space, alice: User) -> None:
    form = {"name": "Büro 办公室", "slug": "", "language": "zh"}
    assert post(alice, "spaces_create", **form).url.endswith("/s/buro/settings/spaces/")  # type: ignore[attr-defined]  # of a redirect
    made = Space.objects.get(slug="buro")
    assert (made.name, role_of(made, alice)) == ("Büro 办公室", Role.OWNER)
    assert current_policy(made).document.language == "zh"
    assert [action for action, *_ in told(made)] == ["space.created", "member.added"]

    memory = remember(made, "我住在里斯本", now=timezone.now() - timedelta(days=1))
    post(alice, "spaces_change", at="buro", name="Office", language="en")
    made.refresh_from_db()
    assert (made.name, current_policy(made).document.language) == ("Office", "en")
    assert told(made)[-1] == ("space.renamed", "Office", "alice")
    assert stored(memory).content == "我住在里斯本"


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"name": " "}, "Enter a name of 1 to 120 characters"),
        ({"name": "x" * 121}, "Enter a name of 1 to 120 characters"),
        ({"slug": "home"}, "This short name is taken"),
        ({"slug": "a/b"}, "Use Latin letters, digits, - and _"),
        ({"language": "English"}, "Choose one of the languages."),
    ],
)
def test_a_wrong_space_is_said_and_not_made(
    space: Space, alice: User, wrong: dict[str, str], sentence: str
) -> None:
    form = {"name": "<Office>", "slug": "office", "language": "en"} | wrong

    answer = post(alice, "spaces_create", **form)

    assert sentence in answer.text
    assert list(Space.objects.values_list("slug", flat=True)) == ["home"]
    if "slug" not in wrong:
        change = post(alice, "spaces_change", **form)
        assert sentence in change.text
        space.refresh_from_db()
        assert (space.name, current_policy(space).version) == ("Home", 1)


def test_a_space_is_deleted_with_all_that_is_in_it_and_nothing_else(
    space: Space, other_space: Space, alice: User, key: MakeKey
) -> None:
    key()
    for one in (space, other_space):
        remember(one, "User sings")
        queue_assessment(space=one, exchange=Exchange("I sing"), now=NOW)
        Conversation.objects.create(space=one)

    typed_wrong = post(alice, "spaces_delete", confirm="Home")
    assert "the short name you typed does not match" in typed_wrong.text
    only = post(alice, "spaces_delete", confirm="home")
    assert "this is your only space" in only.text
    assert Space.objects.filter(pk=space.pk).exists()

    add_member(space=other_space, user=alice, role=Role.VIEWER, actor=SYSTEM, now=NOW)
    assert post(alice, "spaces_delete", confirm="home").status_code == 302
    space.refresh_from_db()
    start_due(now=timezone.now() + GRACE)
    job = deletion(space)
    assert job is not None
    work_at(claimed(job))
    connection.check_constraints()  # no row is left that points into it
    assert list(Space.objects.values_list("slug", flat=True)) == ["other"]
    for model in (Memory, MemoryEvent, Conversation):
        assert model.objects.values_list("space__slug", flat=True).get() == "other"
