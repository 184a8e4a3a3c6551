"""A long memory is found by its late sentences by every endpoint of a running Ebb."""

import asyncio

import pytest

from accounts.models import Space
from tests.chat.talking import Talker
from tests.conftest import MakeKey
from tests.endpoints.mcp_client import said, session
from tests.endpoints.mem0_client import Mem0
from tests.memory.recall.long_texts import ASKED, long_text
from tests.memory.writing import remember
from tests.processes import Web

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]


def test_it_is_found_everywhere(web: Web, key: MakeKey, space: Space) -> None:
    secret, text = key(), long_text(9000, 12_000)
    remember(space, "User likes pizza")
    remember(space, long_text(0, 12_000, ""))
    with Talker(web.url, secret).client as client:
        made = client.post("memories", json={"content": text, "user_id": "anna"})
        assert made.status_code == 201, made.text

        found = client.post(
            "memories/search", json={"query": ASKED, "limit": 1, "user_id": "anna"}
        ).json()
        assert [one["memory"]["content"] for one in found["results"]] == [text]
        answer = client.post("chat", json={"message": ASKED, "user_id": "anna"}).json()
        assert answer["recalled"][0]["memory"]["content"] == text
        assert Mem0(secret).search(ASKED, filters={"user_id": "anna"}, top_k=1) == [text]

    async def ask() -> str:
        async with session(web, secret, user="anna") as mcp:
            return await said(mcp, "search_memories", query=ASKED, limit=1)

    assert "keys of the boathouse" in asyncio.run(ask())
