"""Charts for pages: SVG attributes, drawn by _bin_chart.html and _decay_forecast.html.

Numbers are strings with a decimal point in every language.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

HEIGHT = 100
GAP = 0.2
"""Space between two bars, as a share of a bar's width with its space."""


@dataclass(frozen=True)
class Part:
    """One part of a bar, identified by `name`."""

    name: str
    y: str
    height: str


@dataclass(frozen=True)
class Bar:
    """A day's bar: position and width in percent of the chart, parts in units of HEIGHT, total
    count."""

    day: date
    x: str
    width: str
    parts: Sequence[Part]
    total: int


def stacked(days: Mapping[date, Mapping[str, int]]) -> list[Bar]:
    """Return one bar for each day, its parts stacked in the order given, the tallest of HEIGHT."""
    highest = max((sum(parts.values()) for parts in days.values()), default=0) or 1
    place = 100 / max(1, len(days))
    return [
        Bar(
            day,
            f"{place * (number + GAP / 2):.2f}%",
            f"{place * (1 - GAP):.2f}%",
            _parts(parts, HEIGHT / highest),
            sum(parts.values()),
        )
        for number, (day, parts) in enumerate(days.items())
    ]


def _parts(counts: Mapping[str, int], unit: float) -> list[Part]:
    parts, below = [], 0.0
    for name, count in counts.items():
        if count:
            below += count * unit
            parts.append(Part(name, f"{HEIGHT - below:.2f}", f"{count * unit:.2f}"))
    return parts


def line(points: Sequence[tuple[float, float]], width: float) -> str:
    """Return the `points` of an SVG line in a field of 100 × HEIGHT: x in 0..`width`, y in 0..1."""
    return " ".join(f"{100 * x / (width or 1):.2f},{HEIGHT * (1 - y):.2f}" for x, y in points)
