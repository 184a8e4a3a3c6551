"""Invitations: what a link opens, for whom, and what it tells. Nobody is a member before they
accept, and an account made by one space's owner is nobody for another's."""

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from chat.models import Conversation
from memory.access.invitations import LIFETIME, invite
from memory.access.members import add_member, change_role, remove_member
from memory.actors import SYSTEM
from memory.errors import Forbidden, NotFound
from memory.models import AuditEntry, Invitation, Membership, Role, Space, User
from tests.conftest import Answer
from tests.memory.writing import remember
from tests.pages import login

PASSWORD = "a long password of somebody"  # noqa: S105 - of a test
ADDRESS = "carol@victim.example"


def invited(space: Space, by: User, name: str, role: Role = Role.EDITOR) -> str:
    """The link's token, as the owner sees it."""
    _, token = invite(
        space=space, name=name, role=role, invited_by=by, actor=SYSTEM, now=timezone.now()
    )
    return token


def answer(client: Client, token: str, **form: str) -> Answer:
    return client.post(reverse("invitation"), {"token": token, **form})


def create(client: Client, token: str) -> User:
    """The account that this browser makes by a link."""
    said = answer(client, token, new_password1=PASSWORD, new_password2=PASSWORD)
    assert said.status_code == 302
    return User.objects.get(pk=client.session["_auth_user_id"])


def spaces_of(user: User) -> list[str]:
    return list(Space.objects.of_member(user).values_list("slug", flat=True))


def invite_page(owner: User, slug: str, name: str, role: str = "editor") -> str:
    page = login(owner).post(
        reverse("members_invite", args=[slug]), {"username": name, "role": role}
    )
    assert page.status_code == 200
    assert page.headers["Cache-Control"] == "no-store"
    return page.content.decode()


def token_in(text: str) -> str:
    [token] = re.findall(r"/invitation/\?token=([\w-]+)", text)
    return str(token)


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
    words = {"username": "charlie", "password": "a long password of charlie"}
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


def test_a_new_link_ends_the_earlier_one(space: Space, alice: User) -> None:
    first = token_in(invite_page(alice, "home", "dana"))
    row = Invitation.objects.get()
    renewed = login(alice).post(reverse("members_renew", args=["home", row.pk]))
    second = token_in(renewed.content.decode())

    assert answer(Client(), first, answer="decline").status_code == 403
    create(Client(), second)
    assert space.memberships.count() == 2


def test_a_link_ends_when_it_is_withdrawn(space: Space, alice: User, charlie: User) -> None:
    token = invited(space, alice, "charlie")
    client = login(charlie)
    row = Invitation.objects.get()
    assert (
        login(charlie).post(reverse("members_withdraw", args=["other", row.pk])).status_code == 404
    )
    page = login(alice).post(reverse("members_withdraw", args=["home", row.pk]))
    assert "Invitation withdrawn." in page.content.decode()

    assert answer(client, token, answer="accept").status_code == 403
    assert spaces_of(charlie) == ["other"]


def test_a_link_ends_after_a_week(space: Space, alice: User, charlie: User) -> None:
    token = invited(space, alice, "charlie")
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    assert answer(login(charlie), token, answer="accept").status_code == 403
    assert "expired" in login(alice).get(reverse("members", args=["home"])).content.decode()
    assert timedelta(days=7) == LIFETIME


def test_a_link_ends_with_the_owner_who_made_it(space: Space, alice: User, charlie: User) -> None:
    """A removed owner must not come back by a link that they kept."""
    dana = User.objects.create_user("dana")
    for end in ("removed", "viewer", "switched off"):
        add_member(space=space, user=dana, role=Role.OWNER, actor=SYSTEM, now=timezone.now())
        token = invited(space, dana, "eve", Role.OWNER)
        if end == "removed":
            theirs = Membership.objects.get(space=space, user=dana)
            remove_member(membership=theirs, actor=SYSTEM, now=timezone.now())
        elif end == "viewer":
            add_member(space=space, user=dana, role=Role.VIEWER, actor=SYSTEM, now=timezone.now())
        else:
            User.objects.filter(pk=dana.pk).update(is_active=False)

        assert answer(login(charlie), token, answer="accept").status_code == 403, end


def test_a_removed_member_has_no_other_link(space: Space, alice: User, charlie: User) -> None:
    token = invited(space, alice, "charlie")
    add_member(space=space, user=charlie, role=Role.VIEWER, actor=SYSTEM, now=timezone.now())
    theirs = Membership.objects.get(space=space, user=charlie)
    remove_member(membership=theirs, actor=SYSTEM, now=timezone.now())

    assert answer(login(charlie), token, answer="accept").status_code == 403


def test_a_link_of_a_closed_space_is_ended(space: Space, alice: User, charlie: User) -> None:
    token = invited(space, alice, "charlie")
    Space.objects.filter(pk=space.pk).update(closed_at=timezone.now())

    assert answer(login(charlie), token, answer="accept").status_code == 403


def test_a_member_is_invited_or_accepts_no_second_time(
    space: Space, alice: User, bob: User
) -> None:
    assert "bob is already a member" in invite_page(alice, "home", "bob")
    token = invited(space, alice, "robert", Role.OWNER)

    assert answer(login(bob), token, answer="accept").headers["Location"] == "/"
    assert Membership.objects.get(space=space, user=bob).role == Role.VIEWER
    assert Invitation.objects.count() == 1


def test_a_viewer_reads_what_belongs_to_the_name_that_the_owner_wrote(
    space: Space, alice: User, charlie: User
) -> None:
    """Not what belongs to the name of the account, which another owner may have chosen."""
    for name in ("dana", "charlie"):
        remember(space, f"{name} plays the flute", user_id=name)
    answer(login(charlie), invited(space, alice, "dana", Role.VIEWER), answer="accept")

    client = Client(headers={"X-Ebb-Space": "home"})
    client.force_login(charlie)
    found = client.get("/api/v1/memories").json()["items"]

    assert [one["content"] for one in found] == ["dana plays the flute"]


def test_without_passwords_a_link_leads_to_the_provider(
    space: Space, alice: User, settings: Settings
) -> None:
    settings.EBB_LOCAL_LOGIN = False
    token = invited(space, alice, "dana")
    page = Client().get(reverse("invitation"), {"token": token}).content.decode()

    assert "new_password1" not in page
    assert "/login/?next=" in page
    answer(Client(), token, new_password1=PASSWORD, new_password2=PASSWORD)
    assert not User.objects.filter(username__startswith="dana").exists()


def test_a_new_account_chats_under_its_name_in_the_space(space: Space, alice: User) -> None:
    client = Client()
    create(client, invited(space, alice, "dana"))

    client.post(reverse("say", args=["home"]), {"message": "I play the flute", "chat_as": "me"})

    assert Conversation.objects.in_space(space).get().user_id == "dana"


def test_who_is_no_owner_any_more_invites_and_changes_nobody(
    space: Space, alice: User, bob: User
) -> None:
    """The right is checked again behind the lock: it may have ended since the request began."""
    carol = User.objects.create_user("carol")
    now = timezone.now()
    hers = add_member(space=space, user=carol, role=Role.VIEWER, actor=SYSTEM, now=now)

    with pytest.raises(Forbidden):
        invited(space, carol, "dana")
    with pytest.raises(Forbidden):
        change_role(membership=hers, role=Role.OWNER, by=carol, actor=SYSTEM, now=now)
    with pytest.raises(Forbidden):
        remove_member(membership=hers, by=carol, actor=SYSTEM, now=now)

    hers.delete()
    with pytest.raises(NotFound):
        change_role(
            membership=Membership(pk=0, space=space, user=carol),
            role=Role.OWNER, by=alice, actor=SYSTEM, now=now,
        )  # fmt: skip
    assert spaces_of(carol) == []


def test_an_invitation_of_who_is_no_owner_any_more_opens_nothing(
    space: Space, alice: User, bob: User
) -> None:
    token = invited(space, alice, "dana", Role.OWNER)
    Membership.objects.filter(user=alice).update(role=Role.EDITOR)

    assert Client().get(reverse("invitation"), {"token": token}).status_code == 403
    assert (
        answer(Client(), token, new_password1=PASSWORD, new_password2=PASSWORD).status_code == 403
    )
