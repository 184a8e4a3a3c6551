"""Takes the pictures of docs/tour.md and README.md: `make screenshots`.

It starts an Ebb of its own, without a model, fills six weeks of use (screenshots.past) and then
uses it in Chromium, as the tour describes.
"""

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from playwright.sync_api import Page, expect

from screenshots.stage import (
    ATTACK,
    PATIENT,
    QUESTION,
    STORY,
    expect_a_sure_answer,
    lived_in_ebb,
    logged_in_page,
)

Scheme = Literal["light", "dark"]

IMAGES = Path(__file__).parent.parent / "docs" / "images"

# Pages whose picture needs no click: the picture's name, and the address in the space.
_PAGES = {
    "overview": "overview/",
    "memories": "memories/",
    "assessments": "assessments/",
    "review": "review/",
    "lifetimes": "lifetimes/",
    "bin": "bin/",
    "settings": "settings/",
}


def draw(page: Page, folder: Path) -> None:
    """Take all pictures, beginning in the playground."""
    space = page.url.rstrip("/") + "/"
    _talk(page)
    _take(page, folder / "playground", schemes=("light", "dark"))
    for name, address in _PAGES.items():
        page.goto(space + address)
        _take(page, folder / name)
    _memory(page, space, folder)
    _lab(page, space, folder)
    _policy(page, space, folder)


def _talk(page: Page) -> None:
    """Send the messages, wait until they are saved, and ask in a new conversation."""
    for text, result in ((ATTACK, "sent to review"), (STORY, "saved")):
        _say(page, text)
        expect(page.locator(".learned")).to_contain_text(result, timeout=PATIENT)
        page.get_by_role("link", name="New conversation").click()
        expect(page.locator(".message")).to_have_count(0, timeout=PATIENT)
    _say(page, QUESTION)
    expect_a_sure_answer(page)
    expect(page.locator(".learned")).to_contain_text("not saved", timeout=PATIENT)


def _say(page: Page, text: str) -> None:
    page.get_by_label("Message", exact=True).fill(text)
    page.keyboard.press("Enter")
    expect(page.locator(".message.assistant:not(.streaming)")).to_be_visible(timeout=PATIENT)


def _memory(page: Page, space: str, folder: Path) -> None:
    page.goto(space + "memories/?q=fourteen+kilometres")
    page.get_by_text("Mara ran fourteen").first.click()
    _take(page, folder / "memory")


def _lab(page: Page, space: str, folder: Path) -> None:
    """Label the memory that answers the question, so that each profile gets scores."""
    page.goto(space + "lab/?q=what+does+Mara+like+to+eat%3F&profile=hybrid&profile=combined")
    page.locator(".lab-row", has_text="vegetarian").first.get_by_role("button").first.click()
    expect(page.get_by_role("table").first).to_be_visible()
    _take(page, folder / "lab")


def _policy(page: Page, space: str, folder: Path) -> None:
    """Lower the capacity, so that the preview shows the memories it would remove."""
    page.goto(space + "policy/")
    page.get_by_label(re.compile("capacity|at most", re.IGNORECASE)).first.fill("20")
    page.wait_for_timeout(1500)
    _take(page, folder / "policy")


_SETTLED = """
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
        .then(() => Promise.allSettled(document.getAnimations()
            .filter((one) => one.effect.getComputedTiming().iterations !== Infinity)
            .map((one) => one.finished)))
        .then(() => null)
"""  # a change of the colours is a transition, too


def _take(page: Page, path: Path, *, schemes: Sequence[Scheme] = ("light",)) -> None:
    """Take a picture in each colour scheme."""
    page.wait_for_load_state("networkidle")
    page.mouse.move(0, 0)
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        page.evaluate(_SETTLED)
        page.screenshot(path=f"{path}-{scheme}.png", animations="disabled")
    page.emulate_media(color_scheme="light")


def main() -> None:
    """Take the pictures from the command line."""
    parser = argparse.ArgumentParser(description="Take the pictures of the documentation")
    parser.add_argument("--folder", type=Path, default=IMAGES)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    with lived_in_ebb() as (base, link), logged_in_page(base, link) as page:
        draw(page, options.folder)


if __name__ == "__main__":
    main()
