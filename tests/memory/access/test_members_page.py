"""The pages of spaces, members and the own account: who may, what is done, what is refused."""

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from assessor.assessing import Exchange
from assessor.services import queue_assessment
from chat.models import Conversation
from memory.access.members import add_member, remove_member
from memory.actors import SYSTEM
from memory.errors import Conflict
from memory.jobs.running import work_at
from memory.models import AuditEntry, Membership, Memory, MemoryEvent, Role, Space, User
from memory.models.policies import current_policy
from memory.spaces.deletion import begin_deletion
from tests.conftest import Answer, MakeKey
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
    page = post(alice, "members_invite", username="charlie", role="viewer").text
    assert "charlie added." in page
    post(alice, "members_change", member(space, charlie), role="editor")
    assert role_of(space, charlie) == Role.EDITOR
    chinese = {"Accept-Language": "zh-hans"}
    listed = login(alice).get(reverse("members", args=["home"]), headers=chinese)
    assert "角色 编辑者 · 之前 查看者" in listed.text
    post(alice, "members_remove", member(space, charlie))

    assert role_of(space, charlie) is None
    assert told(space)[-3:] == [
        ("member.added", "charlie", "alice"),
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
        ("members_remove", [member(space, bob)]), ("members_link", [member(space, bob)]),
        ("spaces_create", []), ("spaces_change", []), ("spaces_delete", []),
        ("models_try", ["chat"]),
    ):  # fmt: skip
        form = {"role": "owner", "username": "bob", "name": "x", "language": "en"}
        assert post(bob, name, *args, **form).status_code == 403, name
        assert post(charlie, name, *args, **form).status_code == 404, name
    # Nor does an owner of one space reach into another.
    assert post(charlie, "members_remove", member(space, bob), at="other").status_code == 404
    assert role_of(space, bob) == Role.VIEWER


def test_somebody_new_comes_in_by_a_link_that_works_once(space: Space, alice: User) -> None:
    refused = post(alice, "members_invite", username="<dana>", role="editor").text
    assert "Enter a valid username" in refused
    assert 'value="&lt;dana&gt;"' in refused
    assert not User.objects.filter(username__contains="dana").exists()
    answer = post(alice, "members_invite", username="dana", role="editor")
    assert answer.headers["Cache-Control"] == "no-store"
    [link] = re.findall(r"/login/link/\?sesame=[\w-]+", answer.text)
    dana = User.objects.get(username="dana")
    assert (role_of(space, dana), dana.has_usable_password()) == (Role.EDITOR, False)
    again = post(alice, "members_link", member(space, dana)).text
    assert re.search(r"/login/link/\?sesame=[\w-]+", again)
    assert told(space)[-1] == ("member.linked", "dana", "alice")

    client = Client()
    assert "Log in as dana" in client.get(link).text
    path, _, token = link.partition("?sesame=")
    assert client.post(path, {"sesame": token}).status_code == 302
    assert client.get(reverse("members", args=["home"])).status_code == 200
    assert "no longer works" in Client().post(path, {"sesame": token}).text
    # From then on the account is dana's own: no owner gets into it by a link.
    refused = post(alice, "members_link", member(space, dana)).text
    assert "no login link was created" in refused
    assert "sesame" not in refused

    words = {"new_password1": "a long password", "new_password2": "a long password"}
    account = reverse("account", args=["home"])
    assert client.post(account, words).status_code == 302
    assert client.get(account).status_code == 200  # still logged in
    assert Client().login(username="dana", password="a long password")
    assert "incorrectly" in client.post(account, words | {"old_password": "wrong"}).text


def test_an_address_is_mailed_the_link_where_mail_is_set_up(
    space: Space, alice: User, settings: Settings
) -> None:
    address = "dana@example.org"
    shown_only = post(alice, "members_invite", username="eve@example.org").text
    assert "sesame=" in shown_only
    assert (mail.outbox, "was mailed" in shown_only) == ([], False)

    settings.EMAIL_HOST = "mail.example"
    answer = post(alice, "members_invite", username=address, role="editor").text
    [sent] = mail.outbox
    [link] = re.findall(r"/login/link/\?sesame=[\w-]+", answer)
    assert (sent.to, sent.subject) == ([address], "You are invited to Home on Ebb")
    assert link in sent.body
    assert "was mailed to" in answer
    assert "Log in as dana@example.org" in Client().get(link).text

    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    down = post(alice, "members_link", member(space, User.objects.get(username=address))).text
    assert "The mail server refused the mail" in down
    assert "sesame=" in down


@pytest.mark.parametrize("change", [{"is_staff": True}, {"password": "x"}, {"last_login": NOW}])
def test_no_link_is_made_for_an_account_that_is_more_than_an_invitation(
    space: Space, alice: User, change: dict[str, object]
) -> None:
    post(alice, "members_invite", username="dana")
    User.objects.filter(username="dana").update(**change)
    dana = User.objects.get(username="dana")

    assert "sesame" not in post(alice, "members_link", member(space, dana)).text


def test_no_link_is_made_for_somebody_who_belongs_elsewhere_too(
    space: Space, other_space: Space, alice: User
) -> None:
    post(alice, "members_invite", username="dana")
    dana = User.objects.get(username="dana")
    add_member(space=other_space, user=dana, role=Role.VIEWER, actor=SYSTEM, now=NOW)

    assert "sesame" not in post(alice, "members_link", member(space, dana)).text


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
    work_at(begin_deletion(space=space, now=timezone.now()))
    connection.check_constraints()  # no row is left that points into it
    assert list(Space.objects.values_list("slug", flat=True)) == ["other"]
    for model in (Memory, MemoryEvent, Conversation):
        assert model.objects.values_list("space__slug", flat=True).get() == "other"
