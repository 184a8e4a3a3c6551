"""JSON schemas that endpoints accept.

llama.cpp turns a schema into a grammar, which some patterns break; the caller checks them when it
reads the answer. Each text has a greatest length, without which a small model may write one for
ever. Some endpoints refuse bounds (`unbounded`).
"""

from collections.abc import Mapping
from typing import Any

LONGEST = 300
"""Characters of a text whose form names no length, such as a model's reasoning."""
BOUNDS = ("maxLength", "maxItems", "minItems", "minimum", "maximum")
_KEPT = ("type", "enum", "required", *BOUNDS)


def portable(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with only the keywords `type`, `properties`, `required`,
    `enum`, `items`, `additionalProperties` and the bounds. References are replaced by their
    definitions.
    """
    return _portable(schema, schema.get("$defs", {}))


def _portable(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        return _portable(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "anyOf" in schema:
        return _any_of([_portable(one, definitions) for one in schema["anyOf"]])
    kept = {key: schema[key] for key in _KEPT if key in schema}
    if "const" in schema:
        kept["enum"] = [schema["const"]]
    if kept.get("type") == "string" and "enum" not in kept:
        kept.setdefault("maxLength", LONGEST)
    if "items" in schema:
        kept["items"] = _portable(schema["items"], definitions)
    if "properties" in schema:
        properties = schema["properties"].items()
        kept["properties"] = {name: _portable(one, definitions) for name, one in properties}
        kept["additionalProperties"] = False
    return kept


def _any_of(choices: list[dict[str, Any]]) -> dict[str, Any]:
    """Return one schema for "this or null"; our forms have no other choice between schemas."""
    described, *others = sorted(choices, key=lambda one: one.get("type") == "null")
    if [one.get("type") for one in others] != ["null"]:
        raise ValueError(f"cannot make {choices} portable")
    return {**described, "type": [described["type"], "null"]}


def unbounded(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a portable schema without its bounds."""
    kept = {key: value for key, value in schema.items() if key not in BOUNDS}
    if "items" in kept:
        kept["items"] = unbounded(kept["items"])
    if "properties" in kept:
        kept["properties"] = {name: unbounded(one) for name, one in kept["properties"].items()}
    return kept
