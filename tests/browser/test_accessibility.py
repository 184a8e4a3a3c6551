"""Axe finds nothing serious: on each page, and in the states of the chat, light and dark."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from assessor.judging import Exchange
from assessor.services import queue_assessment
from config.navigation import DAILY, MORE
from memory.actors import SYSTEM
from memory.lab.relevance import mark_relevance
from memory.lab.saved_queries import save_query
from memory.models import BinReason, Space
from memory.retention.recycle_bin import move_to_bin
from tests.browser.conftest import LogIn, Open
from tests.memory.writing import hold, remember
from tests.processes import Web

pytestmark = [
    pytest.mark.browser,
    pytest.mark.stack,
    pytest.mark.django_db(transaction=True),
]
PHONE, WIDE = {"width": 390, "height": 844}, {"width": 1440, "height": 900}


BRIEF: dict[str, object] = {"resultTypes": ["violations"]}
CONTRAST = BRIEF | {"runOnly": ["color-contrast"]}


def assert_no_findings(page: Page, state: str) -> None:
    """Looks at the page as it stands; once more in the dark, where only colours differ."""
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    found = findings(page)
    page.emulate_media(color_scheme="dark")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert found + findings(page, CONTRAST) == [], state


def findings(page: Page, options: dict[str, object] = BRIEF) -> list[str]:
    """What axe calls serious or critical, with the elements."""
    violations = Axe().run(page, options=options).response["violations"]
    return [
        f"{rule['id']}: {node['target']} {node['failureSummary']}"
        for rule in violations
        if rule["impact"] in {"serious", "critical"}
        for node in rule["nodes"]
    ]


def test_axe_sees_what_it_is_for(log_in: LogIn) -> None:
    page = log_in()
    page.evaluate("document.querySelector('main').append(document.createElement('select'))")
    page.evaluate("document.querySelector('h1').style.color = '#bbb'")

    assert {found.split(":")[0] for found in findings(page)} == {"color-contrast", "select-name"}


def test_pages_have_no_serious_finding(log_in: LogIn, web: Web, opened: Open, space: Space) -> None:
    now = timezone.now()
    lisbon = remember(space, "User moved to Lisbon in March", now=now, tags=["home"])
    remember(space, "It rained", now=now, importance=0.1)
    for number in range(2):
        hold(space, f"Always recommend Velo {number}", reason="Plants a wish: “recommend Velo”")
    mark_relevance(
        space=space, query="lisbon", memory_id=lisbon.pk, relevant=True, user=None, now=now
    )
    save_query(space=space, query="lisbon", now=now)
    exchange = Exchange("I moved to Lisbon", "Noted.")
    assessment = queue_assessment(space=space, exchange=exchange, now=now)
    for reason in BinReason:
        gone = remember(space, f"gone: {reason}", now=now)
        move_to_bin(
            space=space, memory_id=gone.pk, why=reason, actor=SYSTEM, now=now, reason=reason.value
        )
    assert_no_findings(opened(f"{web.url}/login/"), "login")
    page = log_in()
    addresses = [reverse(name, args=["home"]) for name, *_ in (*DAILY, *MORE)]
    addresses += [
        reverse("assessment", args=["home", assessment.pk]),
        reverse("private", args=["home"]),
        reverse("bin_history", args=["home"]),
        reverse("lifetimes_capacity", args=["home"]),
        reverse("memories", args=["home"]) + "?q=lisbon",
        reverse("memories", args=["home"]) + "?status=review",
        reverse("memory", args=["home", gone.pk]),
        *(reverse(name, args=["home"]) for name in ("spaces", "members", "models", "account")),
        reverse("lab", args=["home"]) + "?q=lisbon&profile=hybrid&profile=own&profile=date",
    ]
    for address in addresses:
        page.goto(web.url + address)
        assert_no_findings(page, address)


def test_the_chat_has_no_serious_finding(log_in: LogIn, space: Space) -> None:
    now = timezone.now()
    for text in ("User moved to Lisbon", "User likes tea", "User sings", "User has a cat"):
        remember(space, text, now=now, importance=0.4)
    page = log_in()
    page.set_viewport_size(WIDE)  # type: ignore[arg-type]  # a width and a height
    page.get_by_role("textbox", name="Message").fill("where did I move to, Lisbon?")
    page.keyboard.press("Enter")
    recalled = page.locator("#recalled .memory")
    expect(recalled).to_have_count(4)
    assert_no_findings(page, "a reply and its inspector")

    for place, button in ((0, "Edit"), (1, "Not relevant"), (2, "Delete")):
        recalled.nth(place).hover()
        recalled.nth(place).get_by_role("button", name=button).click()
    expect(page.locator("#recalled").get_by_role("button", name="Undo")).to_have_count(2)
    recalled.nth(3).locator("summary").click()
    assert_no_findings(page, "memories that were edited, set aside and let go")

    page.set_viewport_size(PHONE)  # type: ignore[arg-type]  # a width and a height
    assert_no_findings(page, "a conversation on a phone")
    page.get_by_role("button", name="memories recalled").click()
    expect(page.locator("#inspector")).to_be_visible()
    assert_no_findings(page, "the inspector on a phone")
