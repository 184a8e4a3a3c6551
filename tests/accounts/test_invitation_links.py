"""The end of an invitation: of its link, its inviter's right, or its space."""

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from accounts.members.invitations import LIFETIME
from accounts.members.services import add_member, change_role, remove_member
from accounts.models import Invitation, Membership, Role, Space, User
from chat.models import Conversation
from foundation.actors import SYSTEM
from foundation.errors import Forbidden, NotFound
from tests.accounts.inviting import (
    PASSWORD,
    answer,
    create,
    invite_page,
    invited,
    spaces_of,
    token_in,
)
from tests.memory.writing import remember
from tests.pages import login


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
