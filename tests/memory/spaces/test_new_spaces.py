"""A space that an operator creates opens for this operator."""

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from accounts.models import Space, User


@pytest.fixture
def operator(db: None, space: Space) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("boss", password=None))
    return client


def test_the_command_makes_the_operators_owners(
    operator: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("create_api_key", space="work", scopes="read", create_space=True)

    assert len(capsys.readouterr().out.split()) == 1
    assert operator.get(reverse("overview", args=["work"])).status_code == 200
    members = Space.objects.get(slug="work").memberships.values_list("user__username", "role")
    assert list(members) == [("boss", "owner")]


def test_an_operator_who_creates_a_space_by_the_api_owns_it(operator: Client) -> None:
    made = operator.post("/api/v1/spaces", {"slug": "work"}, content_type="application/json")

    assert made.status_code == 201
    assert operator.get(reverse("overview", args=["work"])).status_code == 200
