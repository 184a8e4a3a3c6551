"""The async client against a running Ebb."""

import asyncio

from snippets import chat

from ebb_client import Ebb
from ebb_client.async_client import AsyncEbb


def test_a_client_may_be_used_in_several_event_loops(ebb: Ebb) -> None:
    client = AsyncEbb(user_id=ebb.user_id)
    asyncio.run(client.remember("User likes pizza"))
    found = asyncio.run(client.search("pizza"))
    assert [one["memory"]["content"] for one in found["results"]] == ["User likes pizza"]


def test_the_example_program_works(ebb: Ebb) -> None:
    output = chat("async_client.py", ebb.user_id)
    assert "pizza → User likes pizza" in output
