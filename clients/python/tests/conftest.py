"""Clients of a running Ebb, which `make adapters` starts; each test has a user of its own."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar
from uuid import uuid4

import pytest

from ebb_client import Ebb
from ebb_client.async_client import AsyncEbb

T = TypeVar("T")
PATIENCE = 90.0  # seconds

Run = Callable[[Callable[[AsyncEbb], Awaitable[T]]], T]


@pytest.fixture
def anyio_backend() -> str:
    """The event loop of async tests, such as those of LangChain."""
    return "asyncio"


@pytest.fixture
def ebb() -> Ebb:
    """A client of a new user."""
    return Ebb(user_id=f"user-{uuid4().hex}")


@pytest.fixture
def run(ebb: Ebb) -> Run[T]:
    """Runs a coroutine function with an async client of the same user."""

    def with_client(work: Callable[[AsyncEbb], Awaitable[T]]) -> T:
        async def whole() -> T:
            async with AsyncEbb(user_id=ebb.user_id) as client:
                return await work(client)

        return asyncio.run(whole())

    return with_client


def learned(ebb: Ebb) -> list[str]:
    """Wait until all exchanges of the user are assessed; return the user's memories."""
    deadline = time.monotonic() + PATIENCE
    while any(one["status"] not in {"done", "ignored", "failed"} for one in ebb.assessments()):
        assert time.monotonic() < deadline, "the exchanges were not assessed"
        time.sleep(0.2)
    return [memory["content"] for memory in ebb.memories()]
