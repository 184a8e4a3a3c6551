"""Reader of seed 004's `memories.pkl` that does not run its code.

A pickle is a program. This reader accepts only a list or a dict of the dataclass `Memory` with the
fields content, timestamp, embedding, uuid and importance, and their parts. It refuses any other
file. No named module is imported: each allowed name stands for a class of this file that only
records values, or for a standard library class for times. The operations are checked and
counted before the file is loaded, so that none can request more memory than the file's length, and
all together not much.
"""

import io
import pickle
import pickletools
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta, timezone
from typing import Any
from uuid import UUID

from foundation.errors import FieldError, InvalidArguments

MAX_BYTES = 128 * 2**20
MAX_OPERATIONS = 5_000_000
"""An operation of one byte may make an object of sixty-four. A memory has about 50 operations, and
one for each number of an embedding that is a list."""
FIELDS = frozenset({"content", "timestamp", "embedding", "uuid", "importance"})

# External objects, old class calls, and operations that only forged or recursive files need.
_REFUSED = frozenset(
    {
        "EXT1", "EXT2", "EXT4", "PERSID", "BINPERSID", "INST", "OBJ", "NEWOBJ_EX", "NEXT_BUFFER",
        "READONLY_BUFFER", "DUP", "POP", "POP_MARK", "EMPTY_SET", "ADDITEMS", "FROZENSET",
    }
)  # fmt: skip
_PUTS = frozenset({"PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"})
_GETS = frozenset({"GET", "BINGET", "LONG_BINGET"})
# Operations whose results may be reused. Hashing nested tuples, each used twice, would never end.
_SHARED = frozenset(
    {
        "UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "BINBYTES", "SHORT_BINBYTES",
        "BINBYTES8", "BYTEARRAY8", "GLOBAL", "STACK_GLOBAL", "EMPTY_LIST", "EMPTY_DICT", "REDUCE",
        "NEWOBJ",
    }
)  # fmt: skip
# Errors that the unpickler raises for a broken or forged file.
_ERRORS = (
    pickle.UnpicklingError, ArithmeticError, AttributeError, EOFError, ImportError, LookupError,
    MemoryError, RecursionError, TypeError, ValueError,
)  # fmt: skip


def load(data: bytes) -> list[dict[str, Any]]:
    """Return the records of a pickle, in its order. Raises InvalidArguments for any other
    content."""
    try:
        _look_through(data)
        loaded = _Unpickler(io.BytesIO(data)).load()
        return [*_records(loaded)]
    except _ERRORS as error:
        raise InvalidArguments(
            FieldError("body", f"not a pickle of memories that Ebb accepts: {error}")
        ) from None


def _look_through(data: bytes) -> None:
    """Check the operations without running them; pickletools fails if one is longer than the file.
    A memo number above the count of operations would make the unpickler reserve memory."""
    memo: dict[int, str] = {}
    made = ""
    for count, (operation, argument, _place) in enumerate(pickletools.genops(data)):
        name = operation.name
        if count >= MAX_OPERATIONS:
            raise ValueError(f"it has more than {MAX_OPERATIONS} operations")
        if name in _REFUSED:
            raise ValueError(f"it uses {name}")
        if name in _PUTS:
            number = len(memo) if argument is None else int(argument)
            if number > count:
                raise ValueError("its memo has gaps")
            memo[number] = made
        elif name in _GETS and memo.get(int(argument or 0)) not in _SHARED:
            raise ValueError("it shares an object that must not be shared")
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
    """An unpickler that knows the names in a pickle of memories, and imports none of them."""

    def find_class(self, module: str, name: str) -> Any:
        """Return the class that stands for this name; raises UnpicklingError for any other name."""

        if name == "Memory":  # the dataclass, in whatever module
            return _Memory
        if (module, name) in _NAMES:
            return _NAMES[module, name]
        raise pickle.UnpicklingError(f"{module}.{name} is not allowed")

    def persistent_load(self, pid: Any) -> Any:
        """Refuse references to external objects."""
        raise pickle.UnpicklingError("objects from outside the file are not allowed")


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
            raise pickle.UnpicklingError("a Memory has unknown fields")
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
    """Part of a numpy array, which is read and ignored."""

    __slots__ = ()

    def __new__(cls, *arguments: object) -> "_Unread":
        return super().__new__(cls)

    def __setstate__(self, state: object) -> None:
        return None


class _Latin:
    """A stand-in for `_codecs.encode`, which protocol 2 calls for bytes: returns the bytes."""

    def __new__(cls, text: str, encoding: str) -> bytes:  # type: ignore[misc]  # a function that a pickle cannot change
        if encoding != "latin1":
            raise pickle.UnpicklingError("not an encoding of bytes")
        return text.encode("latin1")

    def __setstate__(self, state: object) -> None:
        raise pickle.UnpicklingError("an object has no state")


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
