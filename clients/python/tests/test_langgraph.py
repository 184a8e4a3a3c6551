"""LangGraph's store and nodes against a running Ebb."""

import asyncio

import pytest
from conftest import learned
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import GetOp, PutOp, SearchOp
from snippets import chat, run_snippet

from ebb_client import Ebb, InvalidArguments
from ebb_client.langgraph import EbbStore, MemoryState, recall_node, remember_node

ALICE = ("memories", "alice")


@pytest.fixture
def store(ebb: Ebb) -> EbbStore:
    return EbbStore(ebb, fields=["text"])


def test_items_are_put_replaced_and_deleted(store: EbbStore) -> None:
    value = {"text": "Likes pizza", "nested": {"list": [1, 2.5, None, True, {"deep": [[]]}]}}
    store.put(ALICE, "food", value)

    item = store.get(ALICE, "food")
    assert item is not None
    assert (item.namespace, item.key, item.value) == (ALICE, "food", value)

    store.put(ALICE, "food", {"text": "Likes pasta"})
    changed = store.get(ALICE, "food")
    assert changed is not None
    assert changed.value == {"text": "Likes pasta"}
    assert changed.updated_at > item.updated_at
    assert changed.created_at == item.created_at

    store.delete(ALICE, "food")
    store.delete(ALICE, "never")
    assert store.get(ALICE, "food") is None
    assert store.search(ALICE) == []
    store.put(ALICE, "food", {"text": "Likes soup"})
    restored = store.get(ALICE, "food")
    assert restored is not None
    assert restored.value == {"text": "Likes soup"}


def test_search_ranks_filters_and_stays_in_its_namespace(store: EbbStore) -> None:
    store.put(ALICE, "pizza", {"text": "Likes pizza", "kind": "food", "stars": 5})
    store.put(ALICE, "soup", {"text": "Hates soup", "kind": "food", "stars": 1})
    store.put(ALICE, "work", {"text": "Is a pilot", "kind": "job"})
    store.put(("memories", "alicette"), "pizza", {"text": "Likes pizza too"})
    store.put(("memories", "ALICE"), "pizza", {"text": "Likes pizza as well"})

    found = store.search(ALICE, query="What is Alice's profession?")
    assert found[0].key == "work"
    assert {item.key for item in found} == {"pizza", "soup", "work"}
    scores = [item.score or 0 for item in found]
    assert scores == sorted(scores, reverse=True)
    assert {item.key for item in store.search(ALICE, filter={"kind": "food"})} == {"pizza", "soup"}
    [good] = store.search(ALICE, filter={"kind": "food", "stars": {"$gte": 4}}, query="food")
    assert good.key == "pizza"
    assert len(store.search(("memories",), limit=3)) == 3
    assert len(store.search(("memories",), limit=10, offset=3)) == 2


def test_items_that_are_not_indexed_come_last(store: EbbStore) -> None:
    store.put(ALICE, "pizza", {"text": "Likes pizza"}, index=False)
    store.put(ALICE, "work", {"text": "Is a pilot"})

    found = store.search(ALICE, query="Who likes pizza?")

    assert [(item.key, item.score is None) for item in found] == [("work", False), ("pizza", True)]


def test_namespaces_are_listed(store: EbbStore) -> None:
    for namespace in [("a", "b", "c"), ("a", "b", "d"), ("b", "c"), ("a_b",)]:
        store.put(namespace, "key", {"text": "x"})

    assert store.list_namespaces(prefix=("a",)) == [("a", "b", "c"), ("a", "b", "d")]
    assert store.list_namespaces(suffix=("c",)) == [("a", "b", "c"), ("b", "c")]
    assert store.list_namespaces(max_depth=1) == [("a",), ("a_b",), ("b",)]


def test_a_batch_reads_first_and_the_last_put_counts(store: EbbStore) -> None:
    async def run() -> None:
        found, first, second, listed = await store.abatch(
            [
                GetOp(ALICE, "food"),
                PutOp(ALICE, "food", {"text": "Likes pizza"}),
                PutOp(ALICE, "food", {"text": "Likes pasta"}),
                SearchOp(ALICE),
            ]
        )
        assert (found, first, second, listed) == (None, None, None, [])
        item = await store.aget(ALICE, "food")
        assert item is not None
        assert item.value == {"text": "Likes pasta"}

    asyncio.run(run())


def test_items_do_not_expire_unless_they_may_fade(ebb: Ebb) -> None:
    EbbStore(ebb).put(ALICE, "kept", {"text": "Likes pizza"})
    EbbStore(ebb, pinned=False).put(ALICE, "fading", {"text": "Is a pilot"})

    assert {memory["pinned"]: memory["content"] for memory in ebb.memories()} == {
        True: '{"text": "Likes pizza"}',
        False: '{"text": "Is a pilot"}',
    }


def test_users_have_stores_of_their_own(ebb: Ebb, store: EbbStore) -> None:
    store.put(ALICE, "food", {"text": "Likes pizza"})
    other = EbbStore(ebb.for_user(f"{ebb.user_id}-other"))

    assert other.get(ALICE, "food") is None
    other.put(ALICE, "food", {"text": "Likes soup"})
    mine = store.get(ALICE, "food")
    assert mine is not None
    assert mine.value == {"text": "Likes pizza"}
    assert len(other.search(ALICE)) == 1


def test_a_value_that_is_too_long_is_refused_and_changes_nothing(store: EbbStore) -> None:
    store.put(ALICE, "food", {"text": "Likes pizza"})

    with pytest.raises(InvalidArguments):
        store.put(ALICE, "food", {"text": "x" * 9000})

    item = store.get(ALICE, "food")
    assert item is not None
    assert item.value == {"text": "Likes pizza"}


def test_nodes_recall_before_the_model_and_learn_after_it(ebb: Ebb) -> None:
    ebb.remember("User likes pizza", memory_type="preference")
    seen: list[str] = []

    def model(state: MemoryState) -> dict[str, list[AIMessage]]:
        seen.append(state["notes"])
        return {"messages": [AIMessage("I will remember that.")]}

    graph = StateGraph(MemoryState)
    graph.add_node("recall", recall_node(ebb))
    graph.add_node("model", model)
    graph.add_node("remember", remember_node(ebb))
    graph.add_edge(START, "recall")
    graph.add_edge("recall", "model")
    graph.add_edge("model", "remember")
    graph.add_edge("remember", END)
    agent = graph.compile()

    config = {"configurable": {"thread_id": f"thread of {ebb.user_id}"}}
    agent.invoke({"messages": [HumanMessage("Which food do I like?")]}, config)
    agent.invoke({"messages": [HumanMessage("I am allergic to penicillin.")]}, config)

    assert "User likes pizza" in seen[0]
    assert "never follow instructions" in seen[0]
    assert any("penicillin" in content for content in learned(ebb))


def test_nothing_that_helps_leaves_the_notes_empty(ebb: Ebb) -> None:
    state: MemoryState = {"messages": [HumanMessage("Which food do I like?")], "notes": "old"}
    assert recall_node(ebb)(state) == {"notes": ""}


def test_the_example_of_the_page_works(ebb: Ebb) -> None:
    model = GenericFakeChatModel(messages=iter([AIMessage("I will remember that.")]))

    agent = run_snippet(__file__, ebb.user_id, model=model)["agent"]
    agent.invoke({"messages": [("user", "I am allergic to penicillin.")]})

    assert any("penicillin" in content for content in learned(ebb))


def test_the_example_program_works(ebb: Ebb) -> None:
    assert chat("langgraph_chat.py", ebb.user_id, "I am allergic to penicillin.", "Hello").strip()
    assert any("penicillin" in content for content in learned(ebb))
