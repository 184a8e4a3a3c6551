"""Rounding of parts that are shown beside their sum."""

import math
from collections.abc import Mapping


def rounded_parts(parts: Mapping[str, float], total: float) -> dict[str, float]:
    """Return the parts with two decimals each, so that they add up to the total with two decimals.

    Each part is rounded down. The hundredths that are missing then go to the parts that lost most:
    the largest remainder method (Hamilton's).
    """
    hundredths = {name: math.floor(100 * value) for name, value in parts.items()}
    missing = round(100 * round(total, 2)) - sum(hundredths.values())
    lost_most = sorted(parts, key=lambda name: hundredths[name] - 100 * parts[name])
    for name in lost_most[: max(0, missing)]:
        hundredths[name] += 1
    return {name: count / 100 for name, count in hundredths.items()}
