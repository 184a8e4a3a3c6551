"""Pages leave their reader's time zone active in the thread that drew them."""

from collections.abc import Iterator

import pytest
from django.utils import timezone


@pytest.fixture(autouse=True)
def zone_of_the_server() -> Iterator[None]:
    yield
    timezone.deactivate()
