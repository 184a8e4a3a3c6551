"""Each page makes a limited number of queries, whatever is in its space.

The pages are found from the URL configuration, so the test covers new ones without naming them.
"""

import pytest
from django.db import connection
from django.http import HttpResponseBase
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.members.services import add_member
from accounts.models import Embedder, Role, Space, User
from foundation.actors import SYSTEM
from tests.addresses import find_admin_pages, find_pages
from tests.lived_in import lived_in

pytestmark = pytest.mark.django_db

QUERIES = 13
# More of everything than there may be queries: one for each row would be seen.
SIZE = 14


@pytest.fixture
def space(embedder: Embedder) -> Space:
    space = lived_in("lived-in", SIZE, timezone.now())
    assert isinstance(space, Space)
    return space


@pytest.fixture
def owner(space: Space) -> Client:
    """A user who may open all pages."""
    user = User.objects.create_superuser("owner", password=None)
    add_member(space=space, user=user, role=Role.OWNER, actor=SYSTEM, now=timezone.now())
    client = Client()
    client.force_login(user)
    client.get(reverse("settings", args=[space.slug]))  # notes the new session
    return client


def test_every_page_is_found_and_asks_for_little(owner: Client, space: Space) -> None:
    asked: dict[str, int] = {}

    def get(url: str) -> HttpResponseBase:
        with CaptureQueriesContext(connection) as queries:
            answer = owner.get(url)
        asked[url] = len(queries)
        return answer

    found = find_pages(get, space)
    in_admin = find_admin_pages()
    for url in in_admin.values():
        assert get(url).status_code == 200, url

    assert found.unreached == {}
    assert {"playground", "overview", "memories", "bin", "why_hit", "webhook"} <= set(found.pages)
    counted = {name: asked[url] for name, url in (found.pages | in_admin).items()}
    assert {name: count for name, count in counted.items() if count > QUERIES} == {}
