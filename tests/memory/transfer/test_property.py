"""Any space, written to a file and read into an empty space, is the same space."""

from datetime import timedelta
from itertools import count
from typing import Any
from uuid import uuid4

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import Embedder, Space
from assessor.models import Assessment
from chat.models import Conversation, Message
from foundation.errors import Conflict, NotFound
from memory.drafts import MemoryChange
from memory.models import JobState, Memory
from memory.models.policies import current_policy
from memory.policies.services import change_policy
from memory.retention import recycle_bin
from memory.retention.sweep import sweep
from memory.store.services import revise_memory
from memory.store.uses import mark_used
from tests.memory.transfer.spaces import contents, empty, exported, imported, new_space, unlike
from tests.memory.writing import ALICE, NOW, hold, remember

_SLUGS = count()
# Texts of any script, with what JSON and SQL treat specially; a word, so that it is not blank.
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=30)
CONTENTS = TEXTS.map(lambda text: f"pizza {text}".strip())
FRACTIONS = st.floats(0, 1, allow_nan=False)
FACETS = st.fixed_dictionaries(
    {"P": FRACTIONS, "valence": st.floats(-1, 1), "intensity": FRACTIONS}
) | st.none()  # fmt: skip
MEMORIES = st.fixed_dictionaries(
    {
        "content": CONTENTS,
        "memory_type": st.sampled_from(["fact", "todo", None]),
        "importance": FRACTIONS | st.none(),
        "facets": FACETS,
        "tags": st.lists(st.sampled_from(["food", 'q"uote', "吃"]), max_size=2),
        "pinned": st.booleans(),
        "source": st.sampled_from(
            [{}, {"conversation_id": "talk", "speaker": "Ana"}, {"conversation_id": "talk"}]
        ),
        "created_at": st.sampled_from([NOW, NOW - timedelta(days=400, microseconds=1)]),
    }
)
ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["revise", "use", "delete", "restore", "purge", "sweep", "policy", "hold"]),
        st.integers(0, 5),
        CONTENTS,
    ),
    max_size=5,
)
TALKS = st.lists(st.lists(TEXTS, max_size=3), max_size=2)


def act(space: Space, action: str, memory: Memory, text: str, turn: int) -> None:
    now = NOW + timedelta(hours=turn)
    who = {"space": space, "actor": ALICE, "now": now}
    one: dict[str, Any] = who | {"memory_id": memory.pk}
    match action:
        case "revise":
            revise_memory(**one, change=MemoryChange(content=text, importance=0.4), reason=text)
        case "use":
            mark_used(**who, memory_ids=[memory.pk], reason=text)  # type: ignore[arg-type]
        case "delete":
            recycle_bin.delete_memory(**one)
        case "restore":
            recycle_bin.restore_memory(**one)
        case "purge":
            recycle_bin.purge_memory(**one)
        case "sweep":
            sweep(space=space, now=now + timedelta(days=20), actor=ALICE)
        case "policy":
            capacity = current_policy(space).document.capacity + 1
            change_policy(**who, changes={"capacity": capacity})  # type: ignore[arg-type]
        case "hold":
            hold(space, text)


def talk(space: Space, texts: list[str]) -> None:
    conversation = Conversation.objects.create(
        space=space, title=texts[0][:20] if texts else "", external_id="talk", created_at=NOW
    )
    for position, text in enumerate(texts, start=1):
        assessment = Assessment.objects.create(
            space=space,
            user_message=text,
            source_conversation=str(conversation.pk),
            context={"said": [text]},
            memory=Memory.objects.in_space(space).order_by("pk").first(),
            idempotency_key=str(uuid4()),
        )
        Message.objects.create(
            space=space,
            conversation=conversation,
            position=position,
            role="user",
            content=text,
            recalled=[
                {
                    "memory": {"id": str(uuid4()), "content": text, "memory_type": "fact"},
                    "score": 0.1,
                    "signals": {"semantic": 0.1},
                    "contributions": {"semantic": 0.1},
                }
            ],
            usage={"prompt_tokens": 3},
            assessment=assessment,
        )


def fill(memories: list[dict[str, Any]], actions: Any, talks: list[list[str]]) -> Space:
    """A space to which this happened. What cannot happen to a memory does not."""
    space = new_space(f"filled-{next(_SLUGS)}")
    made = [remember(space, **memory) for memory in memories]
    for turn, (action, which, text) in enumerate(actions):
        if not made:
            break
        try:
            act(space, action, made[which % len(made)], text, turn)
        except (Conflict, NotFound):
            continue
    for texts in talks:
        talk(space, texts)
    return space


@settings(
    max_examples=settings().max_examples // 3,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(MEMORIES, max_size=6), ACTIONS, TALKS)
def test_a_space_comes_back_as_it_was(
    embedder: Embedder, memories: list[dict[str, Any]], actions: Any, talks: list[list[str]]
) -> None:
    space = fill(memories, actions, talks)
    before, file = contents(space), exported(space)
    empty(space)

    other = new_space(f"read-{next(_SLUGS)}")
    job = imported(other, file)

    assert (job.state, job.result["wrong"]) == (JobState.DONE, [])
    assert unlike(before, contents(other)) == []
    # Once more changes nothing.
    again = imported(other, file)
    assert (again.state, again.result["wrong"]) == (JobState.DONE, [])
    assert unlike(before, contents(other)) == []
    assert sum(counted["new"] for counted in again.result["counts"].values()) == 0
