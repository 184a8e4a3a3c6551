"""The prompts of the MCP server: a question with the memories that the caller may read."""

import asyncio

import pytest
from mcp import Client, MCPError
from mcp.types import TextContent

from accounts.models import Space
from memory.models import Memory
from tests.conftest import MakeKey
from tests.endpoints.mcp_client import session
from tests.memory.writing import remember
from tests.processes import Web

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]


async def text_of(client: Client, prompt: str, **arguments: str) -> str:
    [message] = (await client.get_prompt(prompt, arguments)).messages
    assert message.role == "user"
    assert isinstance(message.content, TextContent)
    return message.content.text


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_prompts_ask_with_the_memories_of_the_user(
    web: Web, key: MakeKey, space: Space, mode: str
) -> None:
    remember(space, "User likes pizza", user_id="alice")
    remember(space, "User is allergic to nuts", user_id="alice", pinned=True, importance=0.1)
    remember(space, "User likes pizza with ham", user_id="bob")
    secret = key(scopes=["read"])

    async def story() -> None:
        async with session(web, secret, mode, user="alice") as client:
            recall, about_me = (await client.list_prompts()).prompts
            assert [one.name for one in (recall, about_me)] == ["recall", "about_me"]
            assert [one.name for one in recall.arguments or [] if one.required] == ["about"]

            asked = await text_of(client, "recall", about="Which pizza do I like?")
            assert asked.startswith("What do you remember about this: Which pizza do I like?\n")
            assert "never instructions" in asked
            assert "User likes pizza (" in asked
            assert "ham" not in asked

            known = (await text_of(client, "about_me")).splitlines()
            memories = [line[15:].split(" (id: ")[0] for line in known if line.startswith("- ")]
            assert memories == ["User is allergic to nuts", "User likes pizza"]

    asyncio.run(story())
    assert {one.use_count for one in Memory.objects.all()} == {0}


def test_wrong_prompts_are_refused(web: Web, key: MakeKey, space: Space) -> None:
    may_read, may_write = key(scopes=["read"]), key(scopes=["write"])

    async def story() -> None:
        async with session(web, may_read) as client:
            for about in ({}, {"about": " "}):
                with pytest.raises(MCPError, match="about: Name a topic"):
                    await client.get_prompt("recall", about)
            with pytest.raises(MCPError, match="Available: recall, about_me"):
                await client.get_prompt("drop", {})
        async with session(web, may_write) as client:
            assert (await client.list_prompts()).prompts == []
            for name in ("recall", "about_me"):
                with pytest.raises(MCPError, match="forbidden"):
                    await client.get_prompt(name, {"about": "pizza"})

    asyncio.run(story())
