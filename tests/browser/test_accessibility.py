"""Axe finds nothing: on each page with all that can be opened, in each dialog, and in the states of
the chat, light and dark. No page scrolls sideways, and on a phone everything can be touched."""

from collections.abc import Sequence
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Error, Page, expect

from accounts.keys.services import create_key
from accounts.models import Space
from accounts.views.settings import PAGES as SETTINGS
from assessor.assessing import Exchange
from assessor.outbox.services import queue_assessment
from config.pages.navigation import DAILY, MORE
from foundation.actors import SYSTEM
from memory.lab.relevance import mark_relevance
from memory.lab.saved_queries import save_query
from memory.models import BinReason, Memory
from memory.retention.recycle_bin import move_to_bin
from memory.webhooks.services import create_webhook
from tests.browser.conftest import LogIn, Open, settled
from tests.browser.test_assessments import long_ones
from tests.browser.test_pages import memories
from tests.memory.writing import hold, remember, set_policy
from tests.processes import Web, wait_until

__all__ = ["memories"]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.stack,
    pytest.mark.django_db(transaction=True),
]
PHONE, WIDE = {"width": 390, "height": 844}, {"width": 1440, "height": 900}
SIZES = ({"width": 1280, "height": 860}, {"width": 768, "height": 1024}, PHONE)

AXE = Axe().axe_script
BRIEF: dict[str, object] = {"resultTypes": ["violations"]}
# Opens what a person may open on the page, but no dialogs.
OPEN_ALL = "for (const one of document.querySelectorAll('details')) one.open = true"
TOUCH = BRIEF | {"runOnly": ["target-size"]}
CONTRAST = BRIEF | {"runOnly": ["color-contrast"]}
_RUN = """async ([within, options]) =>
    (await axe.run(within ?? document, options)).violations"""
# What it comes to when the browser leaves the page under axe.
_LEFT = ("Execution context was destroyed", "reading 'documentElement'")
_SIDEWAYS = """() => [document.documentElement, document.querySelector('main')]
    .some(one => one.scrollWidth > one.clientWidth)"""


def assert_no_findings(page: Page, state: str, within: str | None = None) -> None:
    """Looks at the page as it stands, or at a part; once more in the dark, where only colours
    differ."""
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    found = findings(page, within=within)
    page.emulate_media(color_scheme="dark")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert found + findings(page, CONTRAST, within) == [], state


def assert_no_findings_in_dialogs(page: Page) -> int:
    """Opens each dialog of the page in turn; returns their number."""
    dialogs = page.locator("dialog.dialog")
    for place in range(dialogs.count()):
        dialogs.nth(place).evaluate("dialog => dialog.showModal()")
        name = dialogs.nth(place).get_attribute("id")
        assert_no_findings(page, f"{page.url} #{name}", within="dialog[open]")
        dialogs.nth(place).evaluate("dialog => dialog.close()")
    return dialogs.count()


def findings(
    page: Page, options: dict[str, object] = BRIEF, within: str | None = None
) -> list[str]:
    """Return axe's findings, with their elements. A page that changes under axe is looked at
    again."""
    found: list[dict[str, Any]] = []

    def looked() -> bool:
        page.wait_for_load_state()
        settled(page)
        try:
            if not page.evaluate("'axe' in window"):
                page.evaluate(AXE)
            found.extend(page.evaluate(_RUN, [within, options]))
        except Error as error:
            if any(sign in str(error) for sign in _LEFT):
                return False
            raise
        return True

    wait_until(looked, what="a page that stays")
    return [
        f"{rule['id']}: {node['target']} {node['failureSummary']}"
        for rule in found
        for node in rule["nodes"]
    ]


def test_axe_sees_what_it_is_for(log_in: LogIn) -> None:
    page = log_in()
    page.evaluate("document.querySelector('main').append(document.createElement('select'))")
    page.evaluate("document.querySelector('h1').style.color = '#bbb'")

    assert {found.split(":")[0] for found in findings(page)} == {"color-contrast", "select-name"}

    page.evaluate("document.querySelector('main').innerHTML = '<a href=x>a</a> <a href=y>b</a>'")
    assert {found.split(":")[0] for found in findings(page, TOUCH)} == {"target-size"}
    assert not page.evaluate(_SIDEWAYS)
    page.evaluate("document.querySelector('main a').style.cssText = 'padding: 3000px'")
    assert page.evaluate(_SIDEWAYS)


def test_pages_and_dialogs_have_no_finding(
    log_in: LogIn, web: Web, opened: Open, space: Space, memories: Sequence[Memory]
) -> None:
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
    assessments = [queue_assessment(space=space, exchange=exchange, now=now), *long_ones(space)]
    for reason in BinReason:
        gone = remember(space, f"gone: {reason}", now=now)
        move_to_bin(
            space=space, memory_id=gone.pk, why=reason, actor=SYSTEM, now=now, reason=reason.value
        )
    hook = create_webhook(
        space=space, url="https://example.org/", events=["memory.created"], actor=SYSTEM, now=now
    ).pk
    create_key(space=space, scopes=["read"], name="phone", actor=SYSTEM, now=now)
    assert_no_findings(opened(f"{web.url}/login/"), "login")
    page = log_in()
    addresses = [reverse(name, args=["home"]) for name, *_ in (*DAILY, *MORE)]
    addresses += [
        *(reverse("assessment", args=["home", one.pk]) for one in assessments),
        reverse("private", args=["home"]),
        reverse("bin_history", args=["home"]),
        reverse("lifetimes_capacity", args=["home"]),
        reverse("memories", args=["home"]) + "?q=lisbon",
        reverse("memories", args=["home"]) + "?status=review",
        reverse("memory", args=["home", gone.pk]),
        *(reverse(name, args=["home"]) for name, *_ in SETTINGS),
        reverse("lab", args=["home"]) + "?q=lisbon&profile=hybrid&profile=own&profile=date",
    ]
    addresses += [reverse("consolidation", args=["home"]), reverse("webhook", args=["home", hook])]
    dialogs = 0
    for address in addresses:
        page.set_viewport_size(SIZES[0])  # type: ignore[arg-type]  # a width and a height
        page.goto(web.url + address)
        page.evaluate(OPEN_ALL)
        settled(page)
        assert_no_findings(page, address)
        # The palette is the same on each page: see below.
        page.locator("#palette").evaluate("palette => palette.remove()")
        dialogs += assert_no_findings_in_dialogs(page)
        for size in SIZES:
            page.set_viewport_size(size)  # type: ignore[arg-type]  # a width and a height
            assert not page.evaluate(_SIDEWAYS), (address, size)
        assert findings(page, TOUCH) == [], address
    assert dialogs >= 8
    page.set_viewport_size(SIZES[0])  # type: ignore[arg-type]  # a width and a height
    page.goto(web.url + reverse("overview", args=["home"]))
    page.keyboard.press("Control+k")
    expect(page.get_by_role("option", name="Policy")).to_be_visible()
    assert_no_findings(page, "the palette")


def test_the_chat_has_no_serious_finding(log_in: LogIn, space: Space) -> None:
    now = timezone.now()
    for text in ("User moved to Lisbon", "User likes tea", "User sings", "User has a cat"):
        remember(space, text, now=now, importance=0.4)
    set_policy(space, recall={"min_relevance": 0})
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
    page.locator("#recalled .near-misses > summary").click()
    recalled.nth(3).locator("summary").click()
    assert_no_findings(page, "memories that were edited, set aside and let go")

    page.locator("#conversation-menu > summary").click()
    assert_no_findings(page, "the menu of a conversation")
    page.keyboard.press("Escape")
    page.locator("#open-choices").click()
    assert_no_findings(page, "the settings of a conversation")
    page.keyboard.press("Escape")

    page.set_viewport_size(PHONE)  # type: ignore[arg-type]  # a width and a height
    assert_no_findings(page, "a conversation on a phone")
    for sheet in ("conversations", "rail-more"):
        page.locator(f"#{sheet}").evaluate("sheet => sheet.showPopover()")
        assert_no_findings(page, f"the sheet {sheet}")
        page.keyboard.press("Escape")
    page.get_by_role("button", name="memories recalled").click()
    expect(page.locator("#inspector")).to_be_visible()
    assert_no_findings(page, "the inspector on a phone")
