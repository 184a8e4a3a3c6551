"""Owners who invite, and browsers that answer."""

import re

from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.members.invitations import invite
from accounts.models import Role, Space, User
from foundation.actors import SYSTEM
from tests.conftest import Answer
from tests.pages import login

PASSWORD = "a long password of somebody"
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
