"""CrewAI against a running Ebb: a memory of crews. Its environment is its own."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from conftest import learned
from crewai import Agent, BaseLLM, Crew, Task
from crewai.memory import MemorySlice
from snippets import chat, run_snippet

from ebb_client import Ebb
from ebb_client.crewai import EbbMemory


def answer(messages: str) -> str:
    """Return the stub model's answer; it extracts the same memory from everything."""
    if "Extract memory statements" in messages:
        return '{"memories": ["User is allergic to penicillin."]}'
    return "Final Answer: You like pizza."


class StubModel(BaseLLM):
    """Keeps what it hears."""

    heard: list[str] = []

    def call(self, messages: Any, *args: Any, **kwargs: Any) -> str:
        self.heard.append(str(messages))
        return answer(self.heard[-1])


class StubEndpoint(BaseHTTPRequestHandler):
    """The stub model with OpenAI's protocol. Crews with a memory send tools, which Ebb's own
    endpoint accepts only with a language model."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = {"role": "assistant", "content": answer(str(asked["messages"]))}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        body = {"id": "1", "object": "chat.completion", "created": 1, "model": "stub"}
        sent = json.dumps({**body, "choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)


@pytest.fixture
def endpoint() -> Iterator[str]:
    """The address of a stub endpoint."""
    with ThreadingHTTPServer(("127.0.0.1", 0), StubEndpoint) as server:
        Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


@pytest.fixture
def model() -> StubModel:
    return StubModel(model="stub")


@pytest.fixture
def memory(ebb: Ebb, model: StubModel) -> EbbMemory:
    return EbbMemory(ebb, llm=model)


def test_memories_are_saved_once_and_recalled(ebb: Ebb, memory: EbbMemory) -> None:
    ebb.remember("User likes pizza", memory_type="preference")
    saved = memory.remember(
        "User has a dog named Bo", "/home", ["pets"], {"page": 3}, importance=0.9
    )
    memory.remember_many(["User has a dog named Bo"])

    assert saved is not None
    assert (saved.scope, saved.categories, saved.metadata) == ("/home", ["pets"], {"page": 3})
    pizza = memory.recall("Which food does the user like?")[0]
    assert pizza.record.content == "User likes pizza"
    [dog] = memory.recall("What is the dog's name?", categories=["pets"])
    assert (dog.record.id, saved.importance) == (saved.id, 0.9)
    assert memory.recall("What is the dog's name?", scope="/work") == []
    assert memory.recall(" ") == []


def test_private_memories_are_for_their_source(memory: EbbMemory) -> None:
    memory.remember("User likes pizza", source="alice", private=True)
    ask = "Which food does the user like?"
    assert memory.recall(ask) == memory.recall(ask, source="bob") == []
    assert len(memory.recall(ask, source="alice")) == 1
    assert len(memory.recall(ask, include_private=True)) == 1


def test_scopes_are_listed_changed_and_reset(ebb: Ebb, memory: EbbMemory) -> None:
    ebb.remember("User lives in Lisbon")
    home = memory.scope("/home")
    dog = home.remember("User has a dog named Bo", "/pets", ["animals"])
    home.remember("The house has a green door")
    memory.remember("The office is on the third floor", "/homework")

    assert memory.list_scopes() == ["/home", "/homework"]
    assert (home.list_scopes(), home.list_categories()) == (["/home/pets"], {"animals": 1})
    info = memory.info("/home")
    assert (info.record_count, info.child_scopes) == (2, ["/home/pets"])
    assert "/home/pets (1 records)" in memory.tree()
    assert [one.content for one in memory.list_records("/home", limit=1, offset=1)] == [
        "User has a dog named Bo"
    ]

    memory.update(dog.id, content="User has a dog named Rex", scope="/dogs")
    assert [one.content for one in memory.list_records("/dogs")] == ["User has a dog named Rex"]
    assert len(ebb.revisions(dog.id)) == 2
    with pytest.raises(ValueError, match="not found"):
        memory.update("00000000-0000-0000-0000-000000000000", content="x")

    slice_ = MemorySlice(memory=memory, scopes=["/dogs", "/homework"])
    assert [one.record.id for one in slice_.recall("What is the dog's name?")] == [dog.id]
    assert memory.forget(record_ids=[dog.id]) == 1
    assert memory.forget("/home", older_than=info.oldest_record) == 0
    memory.reset_all()
    assert [one["content"] for one in ebb.memories()] == ["User lives in Lisbon"]


def test_shared_memories_are_recalled_but_not_reset(ebb: Ebb, memory: EbbMemory) -> None:
    shared = EbbMemory(ebb.for_user(None)).remember(f"The guest wifi is {ebb.user_id}")
    assert shared is not None
    try:
        assert [one.record.id for one in memory.recall("guest wifi", limit=1)] == [shared.id]
        assert memory.list_records() == []
        memory.reset_all()
        assert ebb.memory(shared.id)["status"] == "live"
    finally:
        ebb.for_user(None).forget(shared.id)


def test_a_read_only_memory_saves_nothing(ebb: Ebb, model: StubModel) -> None:
    memory = EbbMemory(ebb, llm=model, read_only=True)
    assert memory.remember("User likes pizza") is None
    assert list(ebb.memories()) == []


def test_a_crew_recalls_and_learns(ebb: Ebb, memory: EbbMemory, model: StubModel) -> None:
    ebb.remember("User likes pizza", memory_type="preference")
    agent = Agent(role="cook", goal="Help", backstory="You cook.", llm=model)
    task = Task(description="Which food do I like?", expected_output="A food", agent=agent)
    done = Crew(agents=[agent], tasks=[task], memory=memory).kickoff()

    assert "pizza" in done.raw
    assert "Memories from past conversations" in model.heard[0]
    assert "User likes pizza" in model.heard[0]
    assert "User is allergic to penicillin." in learned(ebb)


def test_the_example_of_the_page_works(ebb: Ebb, model: StubModel) -> None:
    ebb.remember("User likes pizza", memory_type="preference")
    variables = run_snippet(__file__, ebb.user_id, model=model)

    assert "pizza" in variables["result"].raw
    assert any("User likes pizza" in heard for heard in model.heard)


def test_the_example_program_works(
    ebb: Ebb, endpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", endpoint)
    said = chat("crewai_chat.py", ebb.user_id, "I am allergic to penicillin.")
    assert "You like pizza." in said
    assert learned(ebb) == ["User is allergic to penicillin."]
