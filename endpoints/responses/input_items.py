"""Converts input items of the Responses API to messages of a chat completion."""

from collections.abc import Sequence

from endpoints.completions.schemas import Json
from foundation.errors import FieldError, InvalidArguments

_ROLES = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}
_TEXTS = {"input_text": "text", "output_text": "text", "text": "text", "refusal": "refusal"}


def messages_of(items: Sequence[Json], instructions: str | None, *, known: int = 0) -> list[Json]:
    """Return the items as messages, with the instructions in one system message at the beginning.

    The first `known` items come from earlier responses. Raises InvalidArguments for an item that a
    chat completion cannot express.
    """
    messages: list[Json] = [{"role": "system", "content": instructions}] if instructions else []
    for place, item in enumerate(items):
        _add(messages, item, f"input.{place - known}")
    return messages


def _add(messages: list[Json], item: Json, path: str) -> None:
    match item.get("type", "message"):
        case "message":
            _add_message(messages, _message(item, path))
        case "function_call":
            _add_call(messages, item, path)
        case "function_call_output":
            call_id, output = _text(item, "call_id", path), _output(item, path)
            messages.append({"role": "tool", "tool_call_id": call_id, "content": output})
        case "reasoning":
            pass  # a model's own thoughts, which no chat completion takes
        case other:
            raise _wrong(f"{path}.type", f"Ebb cannot pass {other!r} to a model. Leave it out")


def _add_message(messages: list[Json], message: Json) -> None:
    """Append the message. System messages at the beginning become one: not all models take two."""
    texts = [one["content"] for one in (*messages, message) if isinstance(one["content"], str)]
    if len(messages) == 1 and messages[0]["role"] == message["role"] == "system" and texts[1:]:
        messages[0] = {"role": "system", "content": "\n\n".join(texts)}
    else:
        messages.append(message)


def _message(item: Json, path: str) -> Json:
    role = _ROLES.get(_text(item, "role", path))
    if role is None:
        raise _wrong(f"{path}.role", f"must be one of {', '.join(_ROLES)}")
    content = item.get("content")
    if isinstance(content, list):
        parts = [_part(part, f"{path}.content.{n}") for n, part in enumerate(content)]
        texts = [part.get("text") or part.get("refusal") for part in parts]
        content = "\n".join(map(str, texts)) if all(texts) else parts
    elif not isinstance(content, str):
        raise _wrong(f"{path}.content", "must be a string or a list of parts")
    return {"role": role, "content": content}


def _part(part: object, path: str) -> Json:
    """Return a part of a message as chat completions have it."""
    if not isinstance(part, dict):
        raise _wrong(path, "must be an object")
    kind = part.get("type")
    if kind in _TEXTS:
        return {"type": "text", "text": _text(part, _TEXTS[kind], path)}
    if kind == "input_image" and part.get("image_url"):
        image = {"url": _text(part, "image_url", path), "detail": part.get("detail") or "auto"}
        return {"type": "image_url", "image_url": image}
    if kind == "input_file" and part.get("file_data"):
        file = {name: part[name] for name in ("filename", "file_data") if part.get(name)}
        return {"type": "file", "file": file}
    if kind == "input_audio":
        return {"type": "input_audio", "input_audio": part.get("input_audio")}
    raise _wrong(
        path, f"Ebb cannot pass {kind!r} to a model. Send a text, an image_url or file_data"
    )


def _add_call(messages: list[Json], item: Json, path: str) -> None:
    """Add a call to the assistant's message before it, or to a new one."""
    if not messages or messages[-1]["role"] != "assistant":
        messages.append({"role": "assistant", "content": None})
    function = {name: _text(item, name, path) for name in ("name", "arguments")}
    call = {"id": _text(item, "call_id", path), "type": "function", "function": function}
    messages[-1].setdefault("tool_calls", []).append(call)


def _output(item: Json, path: str) -> str:
    output = item.get("output")
    if isinstance(output, list):
        parts = [_part(part, f"{path}.output.{n}") for n, part in enumerate(output)]
        if not all("text" in part for part in parts):
            raise _wrong(f"{path}.output", "must have text parts only")
        return "\n".join(part["text"] for part in parts)
    return _text(item, "output", path)


def _text(item: Json, name: str, path: str) -> str:
    value = item.get(name)
    if not isinstance(value, str):
        raise _wrong(f"{path}.{name}", "must be a string")
    return value


def _wrong(field: str, message: str) -> InvalidArguments:
    return InvalidArguments(FieldError(field, message))
