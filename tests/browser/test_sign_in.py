"""Signing in with an identity provider, and with a second factor, in a browser."""

import re
from collections.abc import Iterator

import pytest
from allauth.mfa.models import Authenticator
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect
from sesame.utils import get_query_string

from accounts.models import Membership, Space, User
from tests.authenticator import app_code
from tests.browser.conftest import LogIn, Open
from tests.browser.test_accessibility import PHONE, assert_no_findings
from tests.identity_provider import CLIENT, Provider, provider
from tests.processes import Web, running_processes

__all__ = ["provider"]

PASSWORD = "a long password of alice"

pytestmark = [pytest.mark.browser, pytest.mark.stack, pytest.mark.django_db(transaction=True)]


@pytest.fixture(scope="module")
def oidc_web(
    queue: str, provider: Provider, static_files: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Web]:
    """A web server that is set up for the real provider, and for it alone."""
    with running_processes(queue, tmp_path_factory.mktemp("oidc")) as started:
        yield started.web(
            EBB_OIDC_ISSUER=provider.url,
            EBB_OIDC_CLIENT_ID=CLIENT,
            EBB_OIDC_CLIENT_SECRET="a secret",
            EBB_OIDC_NAME="Example Login",
            EBB_OIDC_ROLES="staff=home:editor",
            EBB_LOCAL_LOGIN="0",
        )


def confirm(page: Page, subject: str) -> None:
    """Confirms at the provider's page."""
    page.locator("input[name=sub]").fill(subject)
    page.get_by_role("button", name="Authorize").click()


def test_somebody_signs_in_with_the_provider(
    opened: Open, oidc_web: Web, provider: Provider, space: Space
) -> None:
    provider.knows("p-1", preferred_username="dana", groups=["staff"])
    page = opened(oidc_web.url + "/login/")
    # The provider's page has a style sheet of the network.
    page.context.route(re.compile("^https:"), lambda route: route.fulfill(content_type="text/css"))
    expect(page.get_by_label("Password")).to_have_count(0)
    assert_no_findings(page, "login with a provider")
    page.get_by_role("link", name="Sign in with Example Login").click()
    confirm(page, "p-1")
    page.wait_for_url("**/s/home/")

    assert Membership.objects.get(user__username="dana").role == "editor"
    page.goto(oidc_web.url + reverse("account", args=["home"]))
    expect(page.get_by_text("You can sign in with Example Login.")).to_be_visible()
    expect(page.get_by_text("this browser")).to_be_visible()
    expect(page.get_by_text("· Linux")).to_be_visible()
    assert_no_findings(page, "the account of a provider's user")


def test_somebody_connects_their_account(
    opened: Open, oidc_web: Web, provider: Provider, space: Space, alice: User
) -> None:
    alice.password = Argon2PasswordHasher().encode(
        "a long password of alice", "a salt of enough characters"
    )
    alice.save()
    provider.knows("p-2", preferred_username="alice at work")
    page = opened(oidc_web.url + "/login/link/" + get_query_string(alice))
    page.context.route(re.compile("^https:"), lambda route: route.fulfill(content_type="text/css"))
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url("**/s/home/")
    page.goto(oidc_web.url + reverse("account", args=["home"]))
    page.get_by_role("button", name="Connect Example Login").click()
    confirm(page, "p-2")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_text("You can now sign in with Example Login.")).to_be_visible()


def test_a_second_factor_is_set_up_and_used(
    log_in: LogIn, opened: Open, web: Web, space: Space, alice: User
) -> None:
    cache.clear()
    # The web server does not know the quick hasher of the tests.
    alice.password = Argon2PasswordHasher().encode(
        "a long password of alice", "a salt of enough characters"
    )
    alice.save()
    page = log_in()
    page.goto(web.url + reverse("account", args=["home"]))
    page.get_by_role("link", name="Set up second factor").click()
    expect(page.get_by_label("Password")).to_be_visible()
    assert_no_findings(page, "confirming a change")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_alt_text("QR code for the authenticator app")).to_be_visible()
    assert_no_findings(page, "setting up a second factor")
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]  # a width and a height
    assert_no_findings(page, "setting up a second factor on a phone")
    secret = page.locator("code").first.inner_text()
    page.get_by_label("Authenticator code").fill(app_code(secret, timezone.now()))
    page.get_by_role("button", name="Turn on").click()
    expect(page.locator(".codes code")).to_have_count(10)
    codes = page.locator(".codes code").all_inner_texts()
    assert_no_findings(page, "recovery codes on a phone")

    hers = opened(web.url + "/login/")
    hers.get_by_label("User name").fill("alice")
    hers.get_by_label("Password").fill(PASSWORD)
    hers.get_by_role("button", name="Log in").click()
    expect(hers.get_by_label("Code", exact=True)).to_be_focused()
    assert_no_findings(hers, "the page for the code")
    hers.get_by_label("Code", exact=True).fill(codes[3])
    hers.get_by_role("button", name="Log in").click()
    hers.wait_for_url("**/s/home/")

    hers.goto(web.url + reverse("account", args=["home"]))
    hers.get_by_role("button", name="Log out everywhere else").click()
    expect(hers.get_by_text("All other sessions logged out.")).to_be_visible()
    page.reload()
    page.wait_for_url("**/login/**")
    assert Authenticator.objects.get(type="totp").user == alice
