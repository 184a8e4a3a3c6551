"""An owner lets somebody in by a link, makes them an editor, and tries the model that answers."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from accounts.models import Membership, Space
from tests.browser.conftest import LogIn, Open
from tests.browser.test_accessibility import assert_no_findings
from tests.processes import Web

pytestmark = [
    pytest.mark.browser,
    pytest.mark.stack,
    pytest.mark.django_db(transaction=True),
]


def test_somebody_new_is_let_in_and_the_model_is_tried(
    log_in: LogIn, opened: Open, model_web: Web, space: Space
) -> None:
    page = log_in(on=model_web)
    page.get_by_role("link", name="Settings").click()
    page.get_by_role("link", name="Members").click()
    page.get_by_label("Mail address or user name").fill("dana")
    page.get_by_role("button", name="Invite", exact=True).click()
    link = page.locator(".secret code").inner_text()
    expect(page.get_by_role("button", name="Withdraw the invitation of dana")).to_be_visible()
    assert Membership.objects.count() == 1

    hers = opened(link)
    assert_no_findings(hers, "an invitation")
    hers.get_by_label("New password", exact=True).fill("a long password of dana")
    hers.get_by_label("New password confirmation").fill("a long password of dana")
    hers.get_by_role("button", name="Create account and accept").click()
    hers.wait_for_url("**/s/home/")
    page.reload()
    page.get_by_label("Role of dana").select_option("editor")
    expect(page.locator("#members")).to_contain_text("member changed dana")
    assert Membership.objects.get(name="dana").role == "editor"

    page.get_by_role("button", name="Remove dana").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_label("Role of dana")).to_have_count(0)

    page.goto(model_web.url + reverse("models", args=["home"]))
    page.get_by_role("button", name="Test Chat").click()
    expect(page.locator("#part-chat").get_by_role("status")).to_have_text(
        re.compile(r"stub answered “.+”\. Took \d+ ms\.")
    )
