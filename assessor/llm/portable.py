"""JSON schemas that every endpoint accepts.

OpenAI's strict mode refuses keywords it does not know, and llama.cpp turns a schema into a grammar,
which some patterns break. So bounds, patterns and lengths are left out here; the caller checks them
when it reads the answer.
"""

from collections.abc import Mapping
from typing import Any


def portable(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with only the keywords `type`, `properties`, `required`,
    `enum`, `items` and `additionalProperties`. References are replaced by their definitions.
    """
    return _portable(schema, schema.get("$defs", {}))


def _portable(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        return _portable(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "anyOf" in schema:
        return _any_of([_portable(one, definitions) for one in schema["anyOf"]])
    kept = {key: schema[key] for key in ("type", "enum", "required") if key in schema}
    if "const" in schema:
        kept["enum"] = [schema["const"]]
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
