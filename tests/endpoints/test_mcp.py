"""MCP at /mcp: the SDK's own client against the real web server."""

import asyncio
from datetime import timedelta

import httpx2
import pytest
from django.utils import timezone
from mcp import MCPError

from accounts.keys.services import create_key
from accounts.models import Space
from foundation.actors import SYSTEM
from memory.models import Memory
from memory.tools import TOOLS
from tests.conftest import MakeKey
from tests.endpoints.mcp_client import read, said, session
from tests.memory.writing import NOW, remember
from tests.processes import Web

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]

NEAR_DUPLICATES = {"memory_write", "memory_search"}
MODES = ["legacy", "auto"]  # with the handshake of older clients, and without


@pytest.mark.parametrize("mode", MODES)
def test_tools_are_those_of_the_registry_and_remember(
    web: Web, key: MakeKey, space: Space, mode: str
) -> None:
    secret = key()

    async def story() -> None:
        async with session(web, secret, mode) as client:
            told = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert list(told) == [name for name in TOOLS if name not in NEAR_DUPLICATES]
            for name in told:
                tool = TOOLS[name]
                function = tool.spec["function"]
                assert told[name].description == function["description"]
                taken = function["parameters"]
                has = told[name].input_schema["properties"]
                added = {name: has[name] for name in ("timezone", "user_id")}
                properties = taken["properties"] | added
                assert told[name].input_schema == taken | {"properties": properties}
                notes = told[name].annotations
                assert notes is not None
                assert notes.read_only_hint == (tool.scope == "read")
                assert not notes.destructive_hint

            text = await said(client, "remember", content="User likes pizza", tags=["food"])
            short_id = text.partition("(id: ")[2][:8]
            begins = f"Saved: User likes pizza (id: {short_id}); kept forever"
            assert text.startswith(begins)
            found = await said(client, "search_memories", query="pizza")
            assert found.startswith("## RELEVANT MEMORIES\n\n- [")
            assert f"% match, id: {short_id})" in found
            assert "User likes pasta" in await said(
                client, "update_memory", memory_id=short_id, content="User likes pasta"
            )
            assert (await said(client, "forget", memory_id=short_id)).startswith(
                "Moved to the bin: "
            )

    asyncio.run(story())
    memory = Memory.objects.get()
    assert (memory.content, memory.status, memory.tags) == ("User likes pasta", "binned", ["food"])


def test_near_duplicates_are_listed_on_request_only_and_can_be_called(
    web: Web, key: MakeKey, space: Space
) -> None:
    secret = key()

    async def story() -> None:
        async with session(web, secret, path="/mcp?tools=all") as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == list(TOOLS)
        async with session(web, secret) as client:
            assert "! " not in await said(client, "memory_write", content="User likes pizza")

    asyncio.run(story())
    assert Memory.objects.get().content == "User likes pizza"


def test_an_unknown_path_below_mcp_answers_json(web: Web) -> None:
    answer = httpx2.get(f"{web.url}/mcp/nothing", timeout=90)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_tools_answer_with_data_too(web: Web, key: MakeKey, space: Space) -> None:
    """The SDK's client checks the data against each tool's schema."""
    pizza = remember(space, "User likes pizza")
    secret = key()

    async def story() -> None:
        async with session(web, secret) as client:
            await client.list_tools()
            read = await client.call_tool("memory_read", {"memory_id": pizza.short_id})
            assert read.structured_content["id"] == str(pizza.pk)
            for tool in ("search_memories", "memory_search"):
                found = await client.call_tool(tool, {"query": "pizza"})
                [hit] = found.structured_content["results"]
                assert hit["memory"]["content"] == "User likes pizza"
            refused = await client.call_tool("memory_read", {"memory_id": "zz"})
            assert (refused.is_error, refused.structured_content) == (True, None)

    asyncio.run(story())


def test_clients_that_look_for_a_login_are_told_to_use_a_key(web: Web) -> None:
    found = httpx2.get(f"{web.url}/.well-known/oauth-protected-resource", timeout=90)
    assert found.json()["resource"] == f"{web.url}/mcp"
    assert found.json()["bearer_methods_supported"] == ["header"]
    for method, path in (
        ("GET", "/.well-known/oauth-authorization-server"),
        ("GET", "/.well-known/openid-configuration"),
        ("POST", "/register"),
    ):
        answer = httpx2.request(method, f"{web.url}{path}", timeout=90)
        assert answer.status_code == 404
        assert "API key" in answer.json()["error_description"]


def test_bad_arguments_are_told_to_the_model_and_nothing_is_written(
    web: Web, key: MakeKey, space: Space, other_space: Space
) -> None:
    strange = remember(other_space, "Charlie likes soup")

    secret = key()

    async def story() -> None:
        async with session(web, secret) as client:
            wrong = await said(client, "memory_write", content="x", importance=3)
            assert wrong.startswith("! memory_invalid_arguments: importance: ")
            assert (await said(client, "remember", content="x", importance=1)).startswith(
                "! memory_invalid_arguments: importance: "
            )
            for tool in ("memory_read", "forget"):
                text = await said(client, tool, memory_id=str(strange.pk))
                assert text.startswith("! not_found: "), text
            with pytest.raises(MCPError, match="Unknown tool"):
                await client.call_tool("drop_tables", {})
            with pytest.raises(MCPError, match="not_found"):
                await client.read_resource(f"ebb://memories/{strange.short_id}")

    asyncio.run(story())
    assert not Memory.objects.in_space(space).exists()
    assert Memory.objects.get(pk=strange.pk).status == "live"


@pytest.mark.parametrize("mode", MODES)
def test_resources_are_the_recent_the_pinned_and_each(
    web: Web, key: MakeKey, space: Space, other_space: Space, mode: str
) -> None:
    remember(space, "User is allergic\nto penicillin", memory_type="fact", pinned=True)
    recent = remember(space, "User likes pizza", now=NOW + timedelta(hours=1))
    remember(other_space, "Charlie likes soup")

    secret = key(scopes=["read"])

    async def story() -> None:
        async with session(web, secret, mode) as client:
            listed = [str(one.uri) for one in (await client.list_resources()).resources]
            assert listed == ["ebb://memories/recent", "ebb://memories/pinned"]
            [template] = (await client.list_resource_templates()).resource_templates
            assert template.uri_template == "ebb://memories/{id}"

            [title, blank, *lines] = (await read(client, listed[0])).split("\n")
            assert [title, blank] == ["# Recent memories", ""]
            assert [line[15:].split(" (id: ")[0] for line in lines] == [
                "User likes pizza", "User is allergic to penicillin",
            ]  # fmt: skip
            assert (await read(client, listed[1])).split("\n")[2:] == [lines[1]]
            for name in (recent.short_id, str(recent.pk)):
                one = await read(client, f"ebb://memories/{name}")
                assert f"- {one}" == lines[0]
            with pytest.raises(MCPError, match="must be a UUID or a short id"):
                await client.read_resource("ebb://memories/zz")

    asyncio.run(story())


def test_key_sees_and_does_what_its_scopes_allow(web: Web, key: MakeKey, space: Space) -> None:
    may_read, may_write = key(scopes=["read"]), key(scopes=["write"])

    async def story() -> None:
        async with session(web, may_read) as reader:
            names = {tool.name for tool in (await reader.list_tools()).tools}
            readers = {name for name, tool in TOOLS.items() if tool.scope == "read"}
            assert names == readers - NEAR_DUPLICATES
            assert (await said(reader, "remember", content="x")).startswith("! forbidden: ")
            assert await said(reader, "search_memories", query="x")
        async with session(web, may_write) as writer:
            assert (await writer.list_resources()).resources == []
            with pytest.raises(MCPError, match="forbidden"):
                await writer.read_resource("ebb://memories/recent")
            assert (await said(writer, "remember", content="User likes pizza"))[0] != "!"

    asyncio.run(story())
    assert Memory.objects.get().content == "User likes pizza"


def test_key_with_a_limit_is_told_when_to_come_back(web: Web, space: Space) -> None:
    _key, secret = create_key(
        space=space, scopes=["read"], actor=SYSTEM, now=timezone.now(), rate_limit=1
    )
    headers = {
        "Authorization": f"Bearer {secret}",
        "Accept": "application/json, text/event-stream",
    }
    listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}

    first, second = (
        httpx2.post(f"{web.url}/mcp", headers=headers, json=listing, timeout=90) for _ in range(2)
    )

    assert first.status_code == 200
    assert (second.status_code, second.json()["code"]) == (429, "rate_limited")
    assert second.headers["Content-Type"] == "application/problem+json"
    assert 1 <= int(second.headers["Retry-After"]) <= 60


@pytest.mark.parametrize(
    ("method", "headers", "status", "code"),
    [
        ("POST", {}, 401, "unauthorized"),
        ("POST", {"Authorization": "Bearer ebb_wrong"}, 401, "unauthorized"),
        ("POST", {"Origin": "https://evil.example"}, 403, "forbidden"),
        ("POST", {"Host": "evil.example"}, 400, "bad_request"),
        ("GET", {}, 405, "method_not_allowed"),
        ("POST", {"X-Ebb-Timezone": "Moon/X"}, 422, "memory_invalid_arguments"),
        ("POST", {"X-Ebb-User": "u" * 300}, 422, "memory_invalid_arguments"),
    ],
)
def test_who_may_not_come_in_is_told_why(
    web: Web, key: MakeKey, method: str, headers: dict[str, str], status: int, code: str
) -> None:
    right = {} if status == 401 else {"Authorization": f"Bearer {key()}"}

    own = {"X-Request-ID": "client-7"}

    refused = httpx2.request(method, f"{web.url}/mcp", headers=right | own | headers, timeout=90)

    assert (refused.status_code, refused.json()["code"]) == (status, code)
    assert refused.headers["Content-Type"] == "application/problem+json"
    metadata = f'Bearer resource_metadata="{web.url}/.well-known/oauth-protected-resource"'
    assert refused.headers.get("WWW-Authenticate") == (metadata if status == 401 else None)
    assert refused.headers["X-Request-ID"] == "client-7"
    assert refused.headers["Cache-Control"] == "private, no-store"
    assert refused.headers["X-Content-Type-Options"] == "nosniff"
    assert refused.json()["instance"] == "urn:ebb:request:client-7"


def test_a_tool_acts_for_the_user_that_it_names(web: Web, key: MakeKey, space: Space) -> None:
    secret = key(scopes=["read", "write"])

    async def story() -> None:
        async with session(web, secret) as client:
            await said(client, "remember", content="User earns 4200 euros", user_id="alice")
            for user, found in (("alice", True), ("bob", False), (None, False)):
                named = {"user_id": user} if user else {}
                text = await said(client, "search_memories", query="What do I earn?", **named)
                assert ("4200" in text) is found
            everybody = await said(client, "search_memories", query="x", user_id="*")
            assert everybody.startswith("! forbidden: ")
            nobody = await said(client, "search_memories", query="x", user_id=7)
            assert nobody.startswith("! memory_invalid_arguments: user_id: ")
        async with session(web, secret, user="bob") as client:
            other = await said(client, "search_memories", query="earned", user_id="alice")
            assert "names two users" in other

    asyncio.run(story())
    assert [memory.user_id for memory in Memory.objects.all()] == ["alice"]


def test_a_tool_reads_tomorrow_in_the_zone_that_it_names(
    web: Web, key: MakeKey, space: Space
) -> None:
    secret, zones = key(), {"exam": "Pacific/Kiritimati", "concert": "Pacific/Pago_Pago"}

    async def story() -> None:
        async with session(web, secret) as client:
            for what, zone in zones.items():
                await said(client, "remember", content=f"I have a {what} tomorrow", timezone=zone)
            refused = await said(client, "remember", content="x", timezone="Mars/Olympus")
            assert refused.startswith("! memory_invalid_arguments: timezone: ")

    asyncio.run(story())
    days = {memory.content.split()[3]: str(memory.event_at) for memory in Memory.objects.all()}
    assert days["exam"] > days["concert"]  # these zones are 25 hours apart


def test_a_tool_takes_no_user_if_the_key_or_the_header_names_one(
    web: Web, key: MakeKey, space: Space
) -> None:
    _key, bound = create_key(
        space=space, scopes=["write"], user_id="alice", actor=SYSTEM, now=timezone.now()
    )
    free = key(scopes=["write"])

    async def story() -> None:
        for secret, user in ((bound, None), (free, "alice")):
            async with session(web, secret, user=user) as client:
                for tool in (await client.list_tools()).tools:
                    assert "user_id" not in tool.input_schema["properties"]
                refused = await said(client, "remember", content="x", user_id="bob")
                assert refused.startswith("! ")
        async with session(web, bound) as client:
            assert "! forbidden: " in await said(client, "remember", content="x", user_id="bob")
            await said(client, "remember", content="User likes pizza", user_id="alice")

    asyncio.run(story())
    assert [memory.user_id for memory in Memory.objects.all()] == ["alice"]


def test_a_user_finds_nothing_of_another_one(web: Web, key: MakeKey, space: Space) -> None:
    secret = key()
    remember(space, "User earns 4200 euros", user_id="alice")

    async def story(user: str) -> str:
        async with session(web, secret, user=user) as client:
            await said(client, "remember", content=f"User is {user} and drinks tea")
            found = await said(client, "search_memories", query="What does the user earn or drink?")
            return found + await read(client, "ebb://memories/recent")

    bob = asyncio.run(story("bob"))

    assert "4200" in asyncio.run(story("alice"))
    assert "User is bob" in bob
    assert "4200" not in bob
    assert "User is alice" not in bob
