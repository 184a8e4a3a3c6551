"""Both OpenAPI documents keep to what generators and linters accept."""

from collections.abc import Iterator
from typing import Any

import pytest
from ninja import NinjaAPI

from config.api import api
from endpoints.openai import api as openai_api

both = pytest.mark.parametrize("of", [api, openai_api], ids=["api", "openai"])


def objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for part in value.values() if isinstance(value, dict) else value:
        if isinstance(part, dict | list):
            yield from objects(part)


@both
def test_the_document_names_its_server_licence_and_tags(of: NinjaAPI) -> None:
    document = of.get_openapi_schema()
    assert document["servers"][0]["url"] == "/"
    assert document["info"]["license"]["name"] == "MIT"
    operations = [one for methods in document["paths"].values() for one in methods.values()]
    assert {tag for one in operations for tag in one["tags"]} == {
        tag["name"] for tag in document["tags"]
    }
    assert all("security" in one for one in operations)


@both
def test_no_schema_has_what_generators_cannot_read(of: NinjaAPI) -> None:
    document = of.get_openapi_schema()
    for schema in objects(document):
        assert not ("default" in schema and ("$ref" in schema or "allOf" in schema)), schema
    schemas = document["components"]["schemas"]
    used = {str(one.get("$ref")).rpartition("/")[2] for one in objects(document)}
    assert schemas.keys() <= used
    bodies = [name for name in schemas if name.endswith("In")] + ["MemoryAsked"] * (of is api)
    for name in bodies:
        for field in schemas[name].get("properties", {}).values():
            assert "default" not in field, name


def test_a_default_is_told_in_the_description() -> None:
    schemas = api.get_openapi_schema()["components"]["schemas"]
    assert "Default: 24" in schemas["RotateIn"]["properties"]["grace_hours"]["description"]


def test_streams_are_texts_or_events() -> None:
    for operation in ("/api/v1/chat", "/api/v1/messages/{id}/edit"):
        answer = api.get_openapi_schema()["paths"][operation]["post"]["responses"][200]
        stream = answer["content"]["text/event-stream"]
        assert "type" not in stream["schema"]
        assert isinstance(stream["example"], str)


@both
def test_each_json_answer_is_a_named_model(of: NinjaAPI) -> None:
    """Generators make up names for others, and leave out the second of one name."""
    for methods in of.get_openapi_schema()["paths"].values():
        for one in methods.values():
            for answer in one["responses"].values():
                json = answer.get("content", {}).get("application/json")
                assert json is None or json["schema"].keys() == {"$ref"}, one["operationId"]
