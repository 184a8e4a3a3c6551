"""Invitations: what a link opens, for whom, and what it tells. Nobody is a member before they
accept, and an account made by one space's owner is nobody for another's."""

import re

import pytest
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from accounts.models import AuditEntry, Invitation, Membership, Role, Space, User
from tests.accounts.inviting import (
    ADDRESS,
    PASSWORD,
    answer,
    create,
    invite_page,
    invited,
    spaces_of,
    token_in,
)
from tests.pages import login


def test_somebody_new_makes_an_account_by_a_link_that_works_once(space: Space, alice: User) -> None:
    token = token_in(invite_page(alice, "home", "dana"))
    assert not User.objects.filter(username__startswith="dana").exists()
    client = Client()
    page = client.get(reverse("invitation"), {"token": token}).content.decode()
    assert "Invitation to" in page
    assert "with the role editor" in page
    short = answer(client, token, new_password1="x", new_password2="x")
    assert "too short" in short.text
    assert Invitation.objects.exists()

    dana = create(client, token)

    assert re.fullmatch(r"dana-[0-9a-f]{6}", dana.username)
    assert f'value="{dana.username}"' in page
    assert Client().login(username=dana.username, password=PASSWORD)
    members = client.get(reverse("members", args=["home"])).content.decode()
    assert '<b class="clip" dir="auto">dana</b>' in members
    assert (spaces_of(dana), Invitation.objects.count()) == (["home"], 0)
    for method in (client.get, client.post):
        again = method(reverse("invitation"), {"token": token})
        assert (again.status_code, "no longer works" in again.content.decode()) == (403, True)
    told = AuditEntry.objects.in_space(space).order_by("pk").values_list("action", "subject")
    assert list(told)[-2:] == [("member.invited", "dana"), ("member.added", "dana")]


def test_somebody_with_an_account_logs_in_and_accepts_as_themselves(
    space: Space, alice: User, charlie: User
) -> None:
    token = token_in(invite_page(alice, "home", "charlie"))
    client = Client()
    page = client.get(reverse("invitation"), {"token": token}).content.decode()
    [to_login] = re.findall(r'href="(/login/\?next=[^"]+)"', page)
    words = {"login": "charlie", "password": "a long password of charlie"}
    back = client.post(to_login, words)
    assert back.headers["Location"] == f"/invitation/?token={token}"
    assert "You are logged in as" in client.get(back.headers["Location"]).content.decode()
    assert spaces_of(charlie) == ["other"]

    assert answer(client, token, answer="accept").headers["Location"] == "/s/home/"

    assert sorted(spaces_of(charlie)) == ["home", "other"]
    assert Membership.objects.get(space=space, user=charlie).role == Role.EDITOR


@pytest.mark.parametrize("name", ["charlie", "nobody", ADDRESS])
def test_a_pending_member_opens_nothing(
    space: Space, alice: User, charlie: User, name: str
) -> None:
    invited(space, alice, name, Role.OWNER)
    client = login(charlie)

    assert client.get(reverse("members", args=["home"])).status_code == 404
    assert client.get("/api/v1/stats", headers={"X-Ebb-Space": "home"}).status_code == 404
    assert space.memberships.count() == 1


@pytest.mark.parametrize(
    ("name", "refusal"),
    [
        ("Alice", "Alice is already a member"),
        ("ＡＬＩＣＥ", "ＡＬＩＣＥ is already a member"),
        ("аlice", "cannot mix letters"),  # a Cyrillic а
        ("αlice", "cannot mix letters"),  # a Greek α
        ("алиса", None),
        ("李雷やカタ", None),
        ("Ålice-7", None),
    ],
)
def test_a_name_that_looks_like_a_members_is_refused(
    space: Space, alice: User, name: str, refusal: str | None
) -> None:
    page = invite_page(alice, "home", name)

    assert refusal is None or refusal in page
    assert Invitation.objects.exists() == (refusal is None)


def test_the_page_says_the_same_whether_a_name_exists_or_not(
    space: Space, alice: User, charlie: User
) -> None:
    def shown(name: str) -> tuple[int, list[str]]:
        client = login(alice)
        client.get("/")
        with CaptureQueriesContext(connection) as queries:
            page = client.post(reverse("members_invite", args=["home"]), {"username": name})
        asked = len(queries)
        text, _log = page.content.decode().split('id="audit-title"')
        link = client_page(token_in(text))
        texts = [re.sub(rf"<[^>]*>|{name}|token=[\w-]+", "", one) for one in (text, link)]
        Invitation.objects.all().delete()
        return asked, texts

    def client_page(token: str) -> str:
        return Client().get(reverse("invitation"), {"token": token}).content.decode()

    assert shown("charlie") == shown("chandra")


def test_a_link_does_not_tell_whether_its_name_is_taken(
    space: Space, alice: User, charlie: User
) -> None:
    names = []
    for name in ("charlie", "nobody"):
        user = create(Client(), invited(space, alice, name))
        names.append(re.sub("-[0-9a-f]{6}$", "-…", user.username))

    assert names == ["charlie-…", "nobody-…"]


def test_an_account_made_by_one_owner_is_nobody_for_another(
    space: Space, other_space: Space, alice: User, charlie: User
) -> None:
    """The attack: the owner of one space opens the link for somebody else's address."""
    attacker = Client()
    made = create(attacker, token_in(invite_page(alice, "home", ADDRESS)))

    token = token_in(invite_page(charlie, "other", ADDRESS))

    assert spaces_of(made) == ["home"]
    theirs = Invitation.objects.get(space=other_space)
    assert "Other" not in attacker.get(reverse("spaces", args=["home"])).content.decode()
    refused = attacker.post(reverse("invitation_answer", args=[theirs.pk]), {"answer": "accept"})
    assert refused.status_code == 404
    carol = create(Client(), token)  # who has the second link gets an account of her own
    assert carol.pk != made.pk
    assert (spaces_of(carol), spaces_of(made)) == (["other"], ["home"])


def test_an_old_account_with_the_name_needs_the_link(
    space: Space, other_space: Space, charlie: User
) -> None:
    old = User.objects.create_user(ADDRESS, ADDRESS, PASSWORD, is_vouched=False)
    invited(other_space, charlie, ADDRESS)

    assert list(Invitation.objects.to_user(old, timezone.now())) == []


def test_a_mailed_link_proves_the_address(
    space: Space, other_space: Space, alice: User, charlie: User, settings: Settings
) -> None:
    settings.EMAIL_HOST = "mail.example"
    page = invite_page(alice, "home", ADDRESS)
    [sent] = mail.outbox
    assert (sent.to, sent.subject) == ([ADDRESS], "You are invited to Home on Ebb")
    assert "token=" not in page  # the owner does not see it
    assert "was mailed to" in page
    client = Client()
    carol = create(client, token_in(str(sent.body)))
    assert (carol.username, carol.email) == (ADDRESS, ADDRESS)

    invite_page(charlie, "other", ADDRESS, "viewer")

    listed = client.get(reverse("spaces", args=["home"])).content.decode()
    [url] = re.findall(r'action="(/invitations/\d+/)"', listed)
    assert client.post(url, {"answer": "accept"}).headers["Location"] == "/s/other/"
    assert sorted(spaces_of(carol)) == ["home", "other"]


def test_a_link_that_the_mail_server_refused_is_shown_and_proves_nothing(
    space: Space, alice: User, settings: Settings
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1

    page = invite_page(alice, "home", ADDRESS)

    assert "The mail server refused the mail" in page
    assert create(Client(), token_in(page)).username.startswith("carol-")


def test_an_existing_name_keeps_its_account_when_its_address_is_proven_by_another(
    space: Space, alice: User, settings: Settings
) -> None:
    old = User.objects.create_user(ADDRESS, password=PASSWORD)
    settings.EMAIL_HOST = "mail.example"
    invite_page(alice, "home", ADDRESS)

    new = create(Client(), token_in(str(mail.outbox[0].body)))

    assert new.pk != old.pk
    assert (new.username.startswith("carol-"), spaces_of(old)) == (True, [])


def test_a_person_answers_the_invitations_to_their_name(space: Space, alice: User) -> None:
    dana = User.objects.create_user("dana")
    invited(space, alice, "dana")
    client = login(dana)
    page = client.get("/").content.decode()
    assert "not a member of a space yet" in page
    [url] = re.findall(r'action="(/invitations/\d+/)"', page)
    assert login(alice).post(url, {"answer": "accept"}).status_code == 404
    assert Client().post(url, {"answer": "accept"}).headers["Location"].startswith("/login/")

    client.post(url, {"answer": "decline"})

    assert (spaces_of(dana), Invitation.objects.count()) == ([], 0)
    assert AuditEntry.objects.in_space(space).latest("pk").action == "member.declined"
    assert client.post(url, {"answer": "accept"}).status_code == 404
