"""Films the walk of README.md and docs/tour.md: `make walk`.

It writes the frames to a folder; .ci/encode_film.py makes the WebM of them.
"""

import argparse
import shutil
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from screenshots.film import Film
from screenshots.stage import (
    ATTACK,
    PATIENT,
    QUESTION,
    STORY,
    expect_a_sure_answer,
    lived_in_ebb,
    logged_in_page,
)


def walk(page: Page, film: Film) -> None:
    """Film the walk, beginning in the playground."""
    _plant(page)
    page.reload()
    film.say("Ebb: long-term memory for chat assistants")
    film.hold(2.5)
    _learn(page, film)
    _recall(page, film)
    _look(page, film)
    _review(page, film)
    _forget(page, film)


def _plant(page: Page) -> None:
    """Send a message that waits for review, before the film."""
    _message(page).fill(ATTACK)
    page.keyboard.press("Enter")
    expect(page.locator(".learned .chip")).to_be_visible(timeout=PATIENT)
    page.get_by_role("link", name="New conversation").click()


def _learn(page: Page, film: Film) -> None:
    film.say("Tell it something")
    _send(page, film, STORY)
    film.say("Ebb assesses the message and saves what is worth keeping")
    film.watch(page.locator(".learned .chip").is_visible)
    film.hold(4)


def _recall(page: Page, film: Film) -> None:
    film.say("Ask in another conversation")
    film.click(page.get_by_role("link", name="New conversation"))
    _send(page, film, QUESTION)
    expect_a_sure_answer(page)
    film.hold(3)
    film.say("“Recalled” shows the memories behind the answer, and why they were found")
    film.click(page.locator("#recalled summary").first)
    film.hold(5)


def _look(page: Page, film: Film) -> None:
    film.say("The overview: what is known, and what needs attention")
    film.click(_rail(page, "Overview"))
    page.wait_for_load_state("networkidle")
    film.hold(5)
    film.say("Every memory has a lifetime; use renews it")
    film.click(_rail(page, "Memories"))
    page.wait_for_load_state("networkidle")
    film.hold(3.5)
    film.say("A memory: its source, its forecast and its history")
    film.click(page.locator(".memory-link").first)
    page.wait_for_load_state("networkidle")
    film.hold(5)
    film.say("The policy previews what a change would remove")
    film.click(_rail(page, "Policy"))
    page.wait_for_load_state("networkidle")
    film.hold(1.5)
    film.type(page.get_by_label("capacity", exact=False).first, "20")
    page.wait_for_timeout(3000)  # the preview waits for the last key
    film.hold(5)


def _review(page: Page, film: Film) -> None:
    film.say("Suspicious messages wait until you decide")
    film.click(_rail(page, "Review"))
    page.wait_for_load_state("networkidle")
    film.hold(3.5)
    film.click(page.get_by_role("button", name="Reject").first)
    expect(page.locator(".held")).to_have_count(0, timeout=PATIENT)
    film.hold(3)


def _forget(page: Page, film: Film) -> None:
    film.say("And it forgets when you ask")
    film.click(_rail(page, "Playground"))
    page.wait_for_load_state("networkidle")
    _send(page, film, "forget that I live in Lisbon")
    offer = page.locator(".offer").first
    film.watch(offer.is_visible)
    film.hold(2)
    film.click(offer.get_by_role("button", name="Delete"))
    expect(offer.get_by_role("button", name="Undo")).to_be_visible(timeout=PATIENT)
    film.say("Everything can be undone")
    film.hold(4)


def _send(page: Page, film: Film, text: str) -> None:
    """Type a message, send it, and watch the reply being written."""
    film.type(_message(page), text)
    page.keyboard.press("Enter")
    film.watch(page.locator(".message.assistant:not(.streaming)").is_visible)
    film.hold(1)


def _message(page: Page) -> Locator:
    return page.get_by_label("Message", exact=True)


def _rail(page: Page, name: str) -> Locator:
    return page.locator(".rail").get_by_role("link", name=name, exact=False).first


def main() -> None:
    """Film the walk from the command line."""
    parser = argparse.ArgumentParser(description="Film the walk of the documentation")
    parser.add_argument("folder", type=Path, help="for the frames")
    folder: Path = parser.parse_args().folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with lived_in_ebb() as (base, link), logged_in_page(base, link) as page:
        film = Film(page, folder)
        walk(page, film)
        print(f"The film takes {film.store()} seconds.")  # noqa: T201


if __name__ == "__main__":
    main()
