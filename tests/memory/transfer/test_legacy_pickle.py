"""memories.pkl of seed 004: read as it was written, and nothing that it could do is done."""

import os
import pickle
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest

from accounts.models import Space
from foundation.errors import InvalidArguments
from memory.models import JobState, Memory
from memory.transfer.legacy_pickle import load
from tests.memory.transfer.spaces import imported

SAID = datetime(2025, 3, 4, 5, 6, 7, 89)


@dataclass
class Memory004:
    """The dataclass of the seed, but for its name, which is Memory."""

    content: Any
    timestamp: Any
    embedding: Any
    uuid: Any
    importance: Any


Memory004.__name__ = Memory004.__qualname__ = "Memory"


@pytest.fixture(autouse=True)
def tool(monkeypatch: pytest.MonkeyPatch) -> None:
    """The module that the seed's tool was; it is gone when the file is read."""
    module = ModuleType("memory_tool")
    module.Memory = Memory004  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "memory_tool", module)
    monkeypatch.setattr(Memory004, "__module__", "memory_tool")


def a_memory(**changes: Any) -> Memory004:
    values = {"content": "User likes pizza", "timestamp": SAID, "embedding": np.ones(4),
              "uuid": uuid4(), "importance": 0.8}  # fmt: skip
    return Memory004(**values | changes)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize("shape", ["list", "dict"])
def test_its_memories_are_read(
    space: Space, protocol: int, shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = a_memory()
    second = a_memory(
        content="User’s tea 茶", timestamp=SAID.replace(tzinfo=timezone(timedelta(hours=1)))
    )
    memories = [first, second]
    data = pickle.dumps(memories if shape == "list" else {m.uuid: m for m in memories}, protocol)
    monkeypatch.delitem(sys.modules, "memory_tool")

    job = imported(space, data)

    assert (job.state, job.result["wrong"], job.error) == (JobState.DONE, [], "")
    stored = Memory.objects.in_space(space).get(pk=first.uuid)
    assert (stored.content, stored.importance) == ("User likes pizza", 0.8)
    assert (stored.created_at, stored.memory_type) == (SAID.replace(tzinfo=UTC), "observation")
    assert Memory.objects.in_space(space).get(pk=second.uuid).content == "User’s tea 茶"
    assert imported(space, data).result["counts"]["memory"] == {"new": 0, "known": 2}


def test_a_wrong_record_is_told_by_its_number(space: Space) -> None:
    job = imported(space, pickle.dumps([a_memory(importance=7.0), a_memory(), a_memory(content=3)]))

    assert [wrong["line"] for wrong in job.result["wrong"]] == [1, 3]
    assert Memory.objects.in_space(space).count() == 1


class Runs:
    """Pickles as a call."""

    def __init__(self, *call: Any) -> None:
        self.call = call

    def __reduce__(self) -> Any:
        return self.call


def tower(height: int) -> bytes:
    """A key of tuples of tuples, each used twice: its hash would take 2^height steps."""
    steps = b"".join(b"q%ch%c\x86" % (n, n) for n in range(height))
    return b"\x80\x02}(K\x01K\x02\x86" + steps + b"K\x01u."


OS = b"posix" if os.name == "posix" else b"nt"
EVIL: dict[str, Callable[[Path], bytes]] = {
    "os.system by reduce": lambda mark: pickle.dumps([Runs(os.system, (f"touch {mark}",))]),
    "nested in a memory": lambda mark: pickle.dumps(
        [a_memory(content=[{"deep": Runs(os.system, (f"touch {mark}",))}])]
    ),
    "eval": lambda mark: pickle.dumps(Runs(eval, (f"open({str(mark)!r}, 'w')",))),
    "STACK_GLOBAL": lambda mark: b"\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c"
    + bytes([len(f"touch {mark}")]) + f"touch {mark}".encode() + b"\x85R.",
    "STACK_GLOBAL with a path": lambda mark: b"\x80\x04\x8c\x04uuid\x8c\x09os.system\x93.",
    "STACK_GLOBAL from the memo": lambda mark: b"\x80\x04\x8c\x05posix\x94\x8c\x06system\x940h\x00"
    b"h\x01\x93\x8c\x04true\x85R.",
    "GLOBAL": lambda mark: b"\x80\x02c" + OS + b"\nsystem\nX\x04\x00\x00\x00true\x85R.",
    "INST": lambda mark: b"\x80\x02(S'true'\ni" + OS + b"\nsystem\n.",
    "OBJ": lambda mark: b"\x80\x02(c" + OS + b"\nsystem\nX\x04\x00\x00\x00trueo.",
    "EXT1": lambda mark: b"\x80\x02\x82\x01.",
    "PERSID": lambda mark: b"\x80\x02Phere\n.",
    "a module's attribute": lambda mark: b"\x80\x02cuuid\nos\n.",
    "numpy's own loader": lambda mark: pickle.dumps(Runs(np.fromfile, (str(mark),))),
    "another field": lambda mark: pickle.dumps(a_memory()).replace(b"importance", b"importants"),
    "a class's own attributes": lambda mark: b"\x80\x04\x8c\x01m\x8c\x06Memory\x93N}\x8c\x06fields"
    b"K\x01s\x86b.",
    "no memory": lambda mark: pickle.dumps(["User likes pizza"]),
    "not a list": lambda mark: pickle.dumps("User likes pizza"),
    "cut off": lambda mark: pickle.dumps([a_memory()])[:-20],
    "a text of 1 TB": lambda mark: b"\x80\x04\x8d" + struct.pack("<Q", 2**40) + b"x.",
    "bytes of 1 TB": lambda mark: b"\x80\x05\x96" + struct.pack("<Q", 2**40) + b"x.",
    "a frame of 1 TB": lambda mark: b"\x80\x04\x95" + struct.pack("<Q", 2**40) + b"N.",
    "a memo of 32 GB": lambda mark: b"\x80\x02]r\xff\xff\xff\x7f.",
    "a number of 1 TB": lambda mark: b"\x80\x02\x8b\xff\xff\xff\x7f.",
    "a hash without end": lambda mark: tower(100),
    "a memo that is not there": lambda mark: b"\x80\x02h\x07.",
}  # fmt: skip


@pytest.mark.parametrize("evil", EVIL)
def test_what_is_no_pickle_of_memories_is_refused_and_does_nothing(
    evil: str, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    data = EVIL[evil](mark)

    with pytest.raises(InvalidArguments):
        load(data)

    assert not mark.exists()


def test_a_refused_pickle_changes_nothing_for_the_next(space: Space) -> None:
    assert imported(space, EVIL["os.system by reduce"](Path("/nowhere"))).state == JobState.FAILED
    assert imported(space, pickle.dumps([a_memory(uuid=UUID(int=5))])).state == JobState.DONE
