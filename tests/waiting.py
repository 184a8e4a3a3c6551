"""Waiting for what other threads and processes do."""

import time
from collections.abc import Callable

import pytest

# Seconds. What is waited for is a state, so a long wait costs nothing when all is well: a machine
# that is busy with other things gets the time it needs.
PATIENCE = 240.0


def wait_until(
    condition: Callable[[], object], *, within: float = PATIENCE, what: str = "it"
) -> None:
    """Looks until the condition holds, ever less often: what starts needs the processor itself.
    Fails the test when it does not hold in `within` seconds."""
    deadline, pause = time.monotonic() + within, 0.01
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail(f"{what} did not happen within {within:g} seconds")
        time.sleep(pause)
        pause = min(pause * 1.2, 0.1)
