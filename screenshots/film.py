"""A film of a page: pictures shown for a while each, with a caption and a pointer.

The film has its own times, so it looks the same from a slow machine.
"""

import json
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, Page

_KEY, _STEP, _FRAME = 45, 40, 80  # milliseconds of the film

# The caption and the pointer are popovers, so that they are above the page's dialogs. The script
# sets their style, because the Content-Security-Policy allows no style attributes.
_PLACE = """([caption, x, y]) => {
  const placed = (id, style) => {
    const old = document.getElementById(id), made = old ?? document.createElement('div');
    if (!old) { made.id = id; made.popover = 'manual'; document.documentElement.append(made); }
    Object.assign(made.style, {position: 'fixed', inset: 'auto', margin: '0', border: '0',
      pointerEvents: 'none', transition: 'none', ...style});
    if (made.matches(':popover-open')) made.hidePopover();
    made.showPopover();
    return made;
  };
  placed('film-caption', {left: '50%', bottom: '22px', translate: '-50% 0', padding: '10px 20px',
    borderRadius: '99px', background: '#10302e', color: '#fff', font: '500 17px system-ui',
    whiteSpace: 'nowrap', boxShadow: '0 4px 18px #0005'}).textContent = caption;
  placed('film-pointer', {left: x - 9 + 'px', top: y - 9 + 'px', width: '18px', height: '18px',
    padding: '0', borderRadius: '50%', background: '#e8590c99', outline: '2px solid #fff'});
}"""


class Film:
    """Frames in a folder, with their durations in `frames.json`."""

    def __init__(self, page: Page, folder: Path) -> None:
        self._page, self._folder = page, folder
        self._frames: list[tuple[str, int]] = []
        self._caption, self._at = "", (640.0, 430.0)

    def say(self, caption: str) -> None:
        """Show this caption from now on."""
        self._caption = caption

    def hold(self, seconds: float) -> None:
        """Show the page unchanged for this long."""
        self._shoot(round(seconds * 1000))

    def click(self, target: Locator) -> None:
        """Move the pointer to the middle of the target and click."""
        target.scroll_into_view_if_needed()
        box = target.bounding_box()
        assert box is not None  # noqa: S101 - it is visible
        begun, end = self._at, (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        for step in range(1, 11):
            share = step / 10 * (2 - step / 10)  # slower at the end
            self._at = tuple(a + (b - a) * share for a, b in zip(begun, end, strict=True))  # type: ignore[assignment]  # two numbers
            self._shoot(_STEP)
        self.hold(0.2)
        target.click()

    def type(self, field: Locator, text: str) -> None:
        """Type into the field, key by key."""
        field.fill("")
        for end in range(1, len(text) + 1):
            field.fill(text[:end])
            self._shoot(_KEY)
        self.hold(0.4)

    def watch(self, is_done: Callable[[], bool]) -> None:
        """Show what changes on the page until it is done."""
        while not is_done():
            self._shoot(_FRAME)

    def store(self) -> int:
        """Write the durations; return the length of the film in seconds."""
        (self._folder / "frames.json").write_text(json.dumps(self._frames))
        return sum(milliseconds for _name, milliseconds in self._frames) // 1000

    def _shoot(self, milliseconds: int) -> None:
        self._page.evaluate(_PLACE, [self._caption, *self._at])
        name = f"{len(self._frames):05}.png"
        self._page.screenshot(path=self._folder / name, animations="disabled")
        self._frames.append((name, milliseconds))
