"""The form of both OpenAPI documents that code generators and linters accept."""

import json
from collections.abc import Iterator
from typing import Any

from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema

Json = dict[str, Any]

SERVERS = [{"url": "/", "description": "The server of this document"}]
LICENCE = {"info": {"license": {"name": "MIT", "identifier": "MIT"}}}
_SCHEMAS = "#/components/schemas/"


class PortableAPI(NinjaAPI):
    """An API whose document other programs can read."""

    def get_openapi_schema(self, **options: Any) -> OpenAPISchema:
        """Write the document so that common generators can read it."""
        document = super().get_openapi_schema(**options)
        make_portable(document)
        return document


def make_portable(document: Json) -> None:
    """Change a document in place, without a change of meaning.

    - Every operation names its security, and every tag is listed.
    - Defaults of request fields move to the descriptions: openapi-typescript makes fields with a
      default required. A default beside a reference stops openapi-python-client.
    - Schemas that nothing refers to are removed.
    """
    operations = [one for methods in document["paths"].values() for one in methods.values()]
    for operation in operations:
        operation.setdefault("security", [])
    tags = {tag for operation in operations for tag in operation.get("tags", [])}
    document["tags"] = [{"name": tag} for tag in sorted(tags)]
    schemas = document["components"]["schemas"]
    bodies = [operation["requestBody"] for operation in operations if "requestBody" in operation]
    for part in (*bodies, *(schemas[name] for name in _reachable(bodies, schemas))):
        for schema in _objects(part):
            _describe_default(schema)
    for schema in _objects(document):
        if "default" in schema and ("$ref" in schema or "allOf" in schema):
            del schema["default"]
    used = _reachable([document["paths"], document["components"].get("responses", {})], schemas)
    for name in schemas.keys() - used:
        del schemas[name]


def _describe_default(schema: Json) -> None:
    """Write the field's default into its description; null and empty values need no words."""
    for field in schema.get("properties", {}).values():
        default = field.pop("default", None)
        if default not in (None, "", [], {}) and not isinstance(default, dict):
            words = [field.get("description", ""), f"Default: {json.dumps(default)}."]
            field["description"] = " ".join(filter(None, words))


def _reachable(parts: list[Any], schemas: Json) -> set[str]:
    """Return the names of the schemas that these parts refer to, directly or not."""
    found: set[str] = set()
    waiting = list(parts)
    while waiting:
        for one in _objects(waiting.pop()):
            name = str(one.get("$ref", "")).removeprefix(_SCHEMAS)
            if name in schemas and name not in found:
                found.add(name)
                waiting.append(schemas[name])
    return found


def _objects(value: Any) -> Iterator[Json]:
    """Yield every object inside a JSON value, and the value if it is one."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield part
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
