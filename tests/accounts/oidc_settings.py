"""Ebb set up for an identity provider, real or forging, and what a sign-in left behind."""

import pytest
from django.test import Client
from pytest_django import Settings

from accounts.models import Membership, User
from tests.identity_provider import CLIENT, Forger, Provider


def use(settings: Settings, url: str) -> None:
    """Sets Ebb up for the provider at this address."""
    settings.EBB_OIDC_ISSUER = url
    settings.EBB_OIDC_CLIENT_ID = CLIENT
    settings.EBB_OIDC_CLIENT_SECRET = "a secret"
    settings.EBB_OIDC_NAME = "Example Login"


@pytest.fixture
def at_provider(provider: Provider, settings: Settings) -> Provider:
    """The real provider, which Ebb is set up for."""
    use(settings, provider.url)
    return provider


@pytest.fixture
def at_forger(forger: Forger, settings: Settings) -> Forger:
    """The forging provider, which Ebb is set up for."""
    use(settings, forger.url)
    return forger


def user_in(client: Client) -> str | None:
    """The name of the user who is logged in."""
    found = User.objects.filter(pk=client.session.get("_auth_user_id", 0)).first()
    return found.username if found else None


def roles_of(name: str) -> dict[str, str]:
    rows = Membership.objects.filter(user__username=name)
    return dict(rows.values_list("space__slug", "role"))
