"""Memories of other programs, one object each, as records that `legacy_records` can read.

A record is recognised by its fields:

    memory                      mem0
    namespace and value         an item of LangGraph's store, also LangMem's; in the store's table
                                the namespace is called prefix
    fact                        Zep: a fact, or an edge of its graph
    label and value             Letta: a block of an agent's memory
    text                        Letta: a passage of its archive
    content, with a user or     Open WebUI, a CSV file, or a list of one's own
    a time of creation

A record of a system of the seeds has none of these and stays as it is.
"""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from memory.drafts import MAX_CONTENT, MAX_TAGS

Json = Mapping[str, Any]

_TEXTS = ("content", "memory", "text", "data")
_TAG_LENGTH = 60
_PLACE_IN_FILE = re.compile(r"block-\d+")


@dataclass(frozen=True)
class ForeignRecord:
    """A memory of another program: its `record` has the fields of the seeds' systems, `names` are
    the columns that those did not have."""

    record: Json
    names: Json = field(default_factory=dict)


def read(record: Json) -> ForeignRecord:
    """Return the record with the fields that `legacy_records` reads. Raises ValueError, which names
    the field."""
    if isinstance(record.get("memory"), str):
        return _of_mem0(record)
    if "value" in record and record.keys() & {"namespace", "prefix"}:
        return _of_langgraph(record)
    if isinstance(record.get("fact"), str):
        return _of_zep(record)
    if isinstance(record.get("label"), str) and isinstance(record.get("value"), str):
        return _of_letta(record)
    if isinstance(record.get("text"), str):
        return ForeignRecord(_record(record, record["text"]), _names(record))
    if "content" in record and record.keys() & {"created_at", "user_id"}:
        return _of_list(record)
    return ForeignRecord(record)


def _of_mem0(record: Json) -> ForeignRecord:
    """Return a memory of mem0: of its service, its open-source library, or an export."""
    run = record.get("run_id") or record.get("session_id")
    names = _names({**record, "session_id": run})
    if app := record.get("app_id"):
        names["metadata"] = {**names["metadata"], "app_id": app}
    tags = _tags(record.get("categories"))
    return ForeignRecord(_record(record, record["memory"]) | {"tags": tags}, names)


def _of_langgraph(record: Json) -> ForeignRecord:
    """Return an item of LangGraph's store. Its namespace becomes metadata."""
    given = record.get("namespace", record.get("prefix"))
    parts = given.split(".") if isinstance(given, str) else given
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise ValueError("namespace: must be a list of texts")
    namespace = "/".join(parts)
    read_ = _record(record, _text_of(record["value"]))
    read_["id"] = f"{namespace}/{record.get('key')}"
    return ForeignRecord(read_, {"metadata": {"namespace": namespace}})


def _text_of(value: Any) -> str:
    """Return the text of an item's value: LangMem puts it into `content` of `content`. The fields
    of another object, such as a profile, become a line each. Raises ValueError if it has none."""
    if isinstance(value, str) and value.lstrip().startswith("{"):  # a column of a table
        with suppress(ValueError, RecursionError):
            value = json.loads(value)
    while isinstance(value, dict) and (name := next((n for n in _TEXTS if n in value), None)):
        value = value[name]
    try:
        text = value if isinstance(value, str) else _joined(_fields(value))
    except RecursionError:
        raise ValueError("value: is nested too deeply") from None
    if not text.strip():
        raise ValueError("value: has no text")
    return text


def _joined(lines: Iterator[str]) -> str:
    """Return the lines as one text; raises ValueError once it is too long. Each line repeats the
    names of its fields, so a small value may have a huge text."""
    text = ""
    for line in lines:
        text += f"\n{line}" if text else line
        if len(text) > MAX_CONTENT:
            raise ValueError(f"value: has more than {MAX_CONTENT} characters")
    return text


def _fields(value: Any, name: str = "") -> Iterator[str]:
    """Yield a line for each text or number inside a value, with the names of its fields. Raises
    ValueError if these names are too long."""
    if len(name) > MAX_CONTENT:
        raise ValueError(f"value: has a name of more than {MAX_CONTENT} characters")
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _fields(one, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list):
        for one in value:
            yield from _fields(one, name)
    elif value not in (None, ""):
        yield f"{name}: {value}" if name else str(value)


def _of_letta(record: Json) -> ForeignRecord:
    """Return a block of Letta. In an agent file its id is only its place in that file."""
    read_ = _record(record, record["value"]) | {"tags": _tags([record["label"]])}
    if _PLACE_IN_FILE.fullmatch(read_.get("id", "")):
        del read_["id"]
    return ForeignRecord(read_)


def _of_zep(record: Json) -> ForeignRecord:
    """Return a fact of Zep. Raises ValueError for a fact that is no longer true."""
    if ended := record.get("invalid_at") or record.get("expired_at"):
        raise ValueError(f"invalid_at: the fact ended at {ended}")
    return ForeignRecord(
        _record(record, record["fact"], at=record.get("valid_at") or record.get("created_at"))
    )


def _of_list(record: Json) -> ForeignRecord:
    """Return a memory with `content`. The user of Open WebUI is left out: it is a number of that
    installation, which nobody sends to Ebb."""
    read_, names = _record(record, record["content"]), _names(record)
    for name in ("tags", "role"):
        if record.get(name):
            read_[name] = record[name]
    if "memory_type" in record or "importance" in record:
        read_ |= {name: record.get(name) for name in ("memory_type", "importance")}
    of_open_webui = all(isinstance(record.get(name), int) for name in ("created_at", "updated_at"))
    return ForeignRecord(read_, names | {"user_id": None} if of_open_webui else names)


def _record(record: Json, text: Any, *, at: Any = None) -> dict[str, Any]:
    """Return the fields that most programs share."""
    at = at or record.get("created_at") or record.get("timestamp")
    found = {"content": text, "timestamp": at, "tags": _tags(record.get("tags"))}
    for name in ("id", "uuid"):
        if record.get(name) is not None:
            found["id"] = str(record[name])
            break
    return found


def _names(record: Json) -> dict[str, Any]:
    """Return the columns for the caller's own names; a value of another type becomes text."""
    given = {name: record.get(name) for name in ("user_id", "agent_id", "session_id")}
    names = {name: str(value) if value else None for name, value in given.items()}
    metadata = record.get("metadata")
    return {**names, "metadata": metadata if isinstance(metadata, dict) else {}}


def _tags(given: Any) -> list[str]:
    listed = given if isinstance(given, list) else []
    return [tag.strip()[:_TAG_LENGTH] for tag in listed if isinstance(tag, str) and tag.strip()][
        :MAX_TAGS
    ]
