"""mem0's own clients, unchanged, against the endpoint /mem0. They need the scope admin."""

import asyncio
import os
from collections.abc import Callable
from uuid import uuid4

import pytest
from mem0 import AsyncMemoryClient, MemoryClient

HOST = os.environ["EBB_URL"] + "/mem0"
KEY = os.environ["EBB_ADMIN_KEY"]
TEXT = "I'm allergic to penicillin, and I moved to Lisbon in March"


@pytest.fixture
def client() -> MemoryClient:
    return MemoryClient(host=HOST, api_key=KEY)


@pytest.fixture
def user() -> str:
    return f"user-{uuid4().hex}"


def test_memories_are_learned_found_changed_and_deleted(client: MemoryClient, user: str) -> None:
    of_user = {"user_id": user}
    [added] = client.add([{"role": "user", "content": TEXT}], user_id=user)["results"]
    assert added["event"] == "ADD"
    memory_id = added["id"]
    [found] = client.search("Where does the user live?", filters=of_user)["results"]
    assert found["id"] == memory_id
    assert client.get_all(filters=of_user, page=1, page_size=10)["count"] == 1
    client.update(memory_id, text="User moved to Porto")
    assert client.get(memory_id)["memory"] == "User moved to Porto"
    assert [one["event"] for one in client.history(memory_id)] == ["ADD", "UPDATE"]
    assert user in [one["name"] for one in client.users()["results"]]
    client.batch_update([{"memory_id": memory_id, "text": "User moved to Faro"}])
    client.batch_delete([{"memory_id": memory_id}])
    assert client.get_all(filters=of_user)["results"] == []


@pytest.mark.parametrize(
    "call",
    [
        lambda client: client.feedback(str(uuid4()), "POSITIVE"),
        lambda client: client.get_summary({"user_id": "alice"}),
        lambda client: client.get_memory_export(),
        lambda client: client.project.get(),
        lambda client: client.get_webhooks("home"),
        lambda client: client.get_profile("alice"),
        lambda client: client.add(TEXT, user_id="alice", custom_instructions="Only food"),
    ],
)
def test_a_call_without_a_counterpart_says_so(
    client: MemoryClient, call: Callable[[MemoryClient], object]
) -> None:
    with pytest.raises(Exception, match="Ebb"):
        call(client)


def test_the_async_client_deletes_one_all_and_a_user(user: str) -> None:
    async def story() -> None:
        client = AsyncMemoryClient(host=HOST, api_key=KEY)
        await client.add("User likes tea", user_id=user, infer=False)
        [found] = (await client.get_all(filters={"user_id": user}))["results"]
        await client.delete(found["id"])
        await client.add("User likes cake", user_id=user, infer=False)
        await client.delete_all(user_id=user)
        await client.add("User likes milk", user_id=user, infer=False)
        await client.delete_users(user_id=user)
        assert user not in [one["name"] for one in (await client.users())["results"]]

    asyncio.run(story())
