"""LangChain against a running Ebb: middleware, and LangChain's standard tests of retrievers."""

import asyncio
from typing import Any

import pytest
from conftest import learned
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatResult
from langchain_core.retrievers import BaseRetriever
from langchain_tests.integration_tests import RetrieversIntegrationTests
from snippets import chat, run_snippet

from ebb_client import Ebb
from ebb_client.langchain import EbbMiddleware, EbbRetriever


class Scripted(GenericFakeChatModel):
    """A model that keeps what it was sent."""

    seen: list[list[BaseMessage]] = []

    def _generate(self, messages: list[BaseMessage], *rest: Any, **more: Any) -> ChatResult:
        self.seen.append(messages)
        return super()._generate(messages, *rest, **more)


def scripted(*replies: str) -> Scripted:
    return Scripted(messages=iter([AIMessage(reply) for reply in replies]), seen=[])


def test_an_agent_recalls_and_learns(ebb: Ebb) -> None:
    ebb.remember("User likes pizza", memory_type="preference")
    model = scripted("Pizza.", "I will remember that.")
    agent = create_agent(model, system_prompt="Be brief.", middleware=[EbbMiddleware(ebb)])

    agent.invoke({"messages": [("user", "Which food do I like?")]})
    asyncio.run(agent.ainvoke({"messages": [("user", "I am allergic to penicillin.")]}))

    system = str(model.seen[0][0].content)
    assert system.startswith("Be brief.")
    assert "User likes pizza" in system
    assert any("penicillin" in content for content in learned(ebb))


@pytest.mark.anyio
class TestRetriever(RetrieversIntegrationTests):
    """LangChain's standard tests."""

    @pytest.fixture(autouse=True)
    def _client(self, ebb: Ebb) -> None:
        for food in ("pizza", "pasta", "soup", "cake"):
            ebb.remember(f"User likes {food}", on_duplicate=None)
        self.ebb = ebb

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return EbbRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"ebb": self.ebb}

    @property
    def retriever_query_example(self) -> str:
        return "What does the user like to eat?"


def test_the_example_of_the_page_works(ebb: Ebb) -> None:
    agent = run_snippet(__file__, ebb.user_id, model=scripted("I will remember that."))["agent"]
    agent.invoke({"messages": [("user", "I am allergic to penicillin.")]})

    assert any("penicillin" in content for content in learned(ebb))


def test_the_example_program_works(ebb: Ebb) -> None:
    assert chat("langchain_chat.py", ebb.user_id, "I am allergic to penicillin.", "Hello").strip()
    assert any("penicillin" in content for content in learned(ebb))
