"""Fixtures of the tests of pages and of the admin: a moderator."""

import pytest
from django.test import Client

from accounts.models import Space, User
from accounts.moderators import make_moderators


@pytest.fixture
def moderator(space: Space) -> User:
    """Belongs to no space, and to the group."""
    user = User.objects.create_user("mo", password="a long password of mo", is_staff=True)
    user.groups.add(make_moderators())
    return user


@pytest.fixture
def admin(moderator: User) -> Client:
    client = Client()
    client.force_login(moderator)
    return client
