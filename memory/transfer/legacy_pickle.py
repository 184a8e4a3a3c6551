"""Seed 004's `memories.pkl`, read without running what it says.

A pickle is a program. This one may build a list or a dict of the dataclass `Memory` with the fields
content, timestamp, embedding, uuid, importance, and what these are made of; anything else refuses
the file. No module it names is imported: each admitted name stands for a class of this file that
only takes notes, or for a moment of the standard library. Before the file is loaded its operations
are read through, so that none can ask for more memory than the file is long.
"""

import io
import pickle
import pickletools
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta, timezone
from typing import Any
from uuid import UUID

from memory.errors import FieldError, InvalidArguments

MAX_BYTES = 128 * 2**20
FIELDS = frozenset({"content", "timestamp", "embedding", "uuid", "importance"})

# Objects of other processes, classes called in old ways, what only forged or recursive files need.
_REFUSED = frozenset(
    {
        "EXT1", "EXT2", "EXT4", "PERSID", "BINPERSID", "INST", "OBJ", "NEWOBJ_EX", "NEXT_BUFFER",
        "READONLY_BUFFER", "DUP", "POP", "POP_MARK", "EMPTY_SET", "ADDITEMS", "FROZENSET",
    }
)  # fmt: skip
_PUTS = frozenset({"PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"})
_GETS = frozenset({"GET", "BINGET", "LONG_BINGET"})
# What may be used again. Tuples of tuples, each used twice, would have a hash that takes for ever.
_SHARED = frozenset(
    {
        "UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "BINBYTES", "SHORT_BINBYTES",
        "BINBYTES8", "BYTEARRAY8", "GLOBAL", "STACK_GLOBAL", "EMPTY_LIST", "EMPTY_DICT", "REDUCE",
        "NEWOBJ",
    }
)  # fmt: skip
# What a broken or forged file makes the unpickler raise.
_ERRORS = (
    pickle.UnpicklingError, ArithmeticError, AttributeError, EOFError, ImportError, LookupError,
    MemoryError, RecursionError, TypeError, ValueError,
)  # fmt: skip


def load(data: bytes) -> list[dict[str, Any]]:
    """The records of a pickle, in its order. Raises InvalidArguments if it is anything else."""
    try:
        _look_through(data)
        loaded = _Unpickler(io.BytesIO(data)).load()
        return [*_records(loaded)]
    except _ERRORS as error:
        raise InvalidArguments(
            FieldError("body", f"not a pickle of memories that Ebb accepts: {error}")
        ) from None


def _look_through(data: bytes) -> None:
    """Reads the operations without doing them; pickletools fails where one is longer than what is
    there. A memo's number beyond the count of operations would make the unpickler reserve room."""
    memo: dict[int, str] = {}
    made = ""
    for count, (operation, argument, _place) in enumerate(pickletools.genops(data)):
        name = operation.name
        if name in _REFUSED:
            raise ValueError(f"it uses {name}")
        if name in _PUTS:
            number = len(memo) if argument is None else int(argument)
            if number > count:
                raise ValueError("its memo has gaps")
            memo[number] = made
        elif name in _GETS and memo.get(int(argument or 0)) not in _SHARED:
            raise ValueError("it uses something twice that is not to be shared")
        elif name != "FRAME":
            made = name


def _records(loaded: object) -> Iterator[dict[str, Any]]:
    rows = loaded.values() if type(loaded) is dict else loaded
    if type(loaded) not in {dict, list, tuple}:
        raise ValueError("it is neither a list nor a dict")
    for row in rows:  # type: ignore[attr-defined]  # one of the three
        if not isinstance(row, _Memory) or row.fields is None:
            raise ValueError("it contains an object that is not a Memory")
        yield row.fields


class _Unpickler(pickle.Unpickler):
    """Knows the names that a pickle of memories has, and imports none of them."""

    def find_class(self, module: str, name: str) -> Any:
        if name == "Memory":  # the dataclass, wherever it was
            return _Memory
        if (module, name) in _NAMES:
            return _NAMES[module, name]
        raise pickle.UnpicklingError(f"{module}.{name} is not admitted")

    def persistent_load(self, pid: Any) -> Any:
        raise pickle.UnpicklingError("objects from elsewhere are not admitted")


class _Memory:
    """A Memory of seed 004: only its fields, as plain values."""

    __slots__ = ("fields",)

    def __new__(cls) -> "_Memory":
        made = super().__new__(cls)
        made.fields = None
        return made

    fields: dict[str, Any] | None

    def __setstate__(self, state: object) -> None:
        if type(state) is not dict or not FIELDS.issuperset(state):
            raise pickle.UnpicklingError("a Memory has fields that are not admitted")
        kept = {name: value for name, value in state.items() if name != "embedding"}
        if isinstance(identity := kept.get("uuid"), _Identity):
            kept["uuid"] = identity.value
        self.fields = kept


class _Identity:
    """A UUID."""

    __slots__ = ("value",)
    value: UUID | None

    def __setstate__(self, state: Any) -> None:
        if type(state) is not dict or type(state.get("int")) is not int:
            raise pickle.UnpicklingError("not a UUID")
        self.value = UUID(int=state["int"])


class _Unread:
    """Part of a numpy array: taken in and not looked at."""

    __slots__ = ()

    def __new__(cls, *arguments: object) -> "_Unread":
        return super().__new__(cls)

    def __setstate__(self, state: object) -> None:
        return None


class _Latin:
    """How pickles of protocol 2 spell bytes: called, it gives them."""

    def __new__(cls, text: str, encoding: str) -> bytes:  # type: ignore[misc]  # a function that nothing in a pickle can change
        if encoding != "latin1":
            raise pickle.UnpicklingError("not a spelling of bytes")
        return text.encode("latin1")

    def __setstate__(self, state: object) -> None:
        raise pickle.UnpicklingError("it has no state")


_NAMES: Mapping[tuple[str, str], Any] = {
    ("uuid", "UUID"): _Identity,
    ("uuid", "SafeUUID"): _Unread,
    ("datetime", "datetime"): datetime,
    ("datetime", "timedelta"): timedelta,
    ("datetime", "timezone"): timezone,
    ("_codecs", "encode"): _Latin,
    ("numpy", "ndarray"): _Unread,
    ("numpy", "dtype"): _Unread,
    **{
        (f"numpy.{core}.{module}", name): _Unread
        for core in ("core", "_core")
        for module, name in (("multiarray", "_reconstruct"), ("numeric", "_frombuffer"))
    },
}
