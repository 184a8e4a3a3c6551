"""`/v1/embeddings` through the real web server, with the real openai SDK."""

from base64 import b64decode
from typing import Any, Literal

import numpy as np
import openai
import pytest

from accounts.models import Embedder, Space
from memory.embeddings import MINILM, get_embedder
from memory.models import Memory
from tests.chat.openai_client import MakeClient, client, make_client
from tests.conftest import MakeKey
from tests.processes import Web
from tests.stub_embeddings import vector_of
from tests.stub_model import StubModel

__all__ = ["client", "make_client"]

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]

TEXTS = ["User likes pizza", "用户喜欢披萨"]


def test_texts_get_the_vectors_of_the_built_in_model(client: openai.OpenAI) -> None:
    expected = get_embedder("local", MINILM, 384).embed(TEXTS)
    formats: tuple[Literal["float", "base64"], ...] = ("float", "base64")
    for format_ in formats:
        made = client.embeddings.create(
            model="ebb",
            input=TEXTS,
            encoding_format=format_,
        )
        assert made.model == MINILM
        assert [one.index for one in made.data] == [0, 1]
        rows: list[Any] = [one.embedding for one in made.data]
        if format_ == "base64":  # as it came: the SDK decodes only what it asked for itself
            rows = [np.frombuffer(b64decode(row), "<f4") for row in rows]
        assert np.allclose(rows, expected, atol=1e-6)
    [one] = client.embeddings.create(model=MINILM, input=TEXTS[0], dimensions=384).data
    assert np.allclose(one.embedding, expected[0], atol=1e-6)
    assert not Memory.objects.exists()


def test_a_space_with_a_connected_model_uses_it(
    client: openai.OpenAI,
    space: Space,
    stub_model: StubModel,
    model_web: Web,
    key: MakeKey,
    make_client: MakeClient,
) -> None:
    connected = Embedder.objects.create(provider="openai", model="stub-64", dimensions=64)
    Space.objects.filter(pk=space.pk).update(embedder=connected)
    [made] = client.embeddings.create(model="ebb", input=TEXTS[0]).data
    vector = vector_of("stub-64", TEXTS[0])
    assert np.allclose(made.embedding, vector / np.linalg.norm(vector), atol=1e-6)
    assert "stub-64" in [model.id for model in client.models.list()]
    reader = make_client(model_web, key(scopes=["read"]))
    with pytest.raises(openai.PermissionDeniedError, match="write"):
        reader.embeddings.create(model="ebb", input=TEXTS[0])
    assert reader.embeddings.create(model=MINILM, input=TEXTS[0]).data


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"input": [[15339, 1917]]}, "token lists"),
        ({"input": [15339, 1917]}, "token lists"),
        ({"input": ""}, "empty"),
        ({"input": []}, "empty"),
        ({"input": "x" * 32_769}, "32768"),
        ({"input": "x", "dimensions": 256}, "has 384 dimensions"),
        ({"input": "x", "encoding_format": "int8"}, "encoding_format"),
    ],
)
def test_what_cannot_be_embedded_is_refused(
    client: openai.OpenAI, options: dict[str, Any], reason: str
) -> None:
    with pytest.raises(openai.BadRequestError, match=reason):
        client.embeddings.create(model="ebb", **options)


def test_an_unknown_model_is_named_with_the_known_ones(
    web: Web, key: MakeKey, make_client: MakeClient
) -> None:
    reader = make_client(web, key(scopes=["read"]))
    with pytest.raises(openai.NotFoundError, match=MINILM) as unknown:
        reader.embeddings.create(model="text-embedding-3-small", input="x")
    assert unknown.value.code == "model_not_found"
    writer = make_client(web, key(scopes=["write"]))
    with pytest.raises(openai.PermissionDeniedError, match="read"):
        writer.embeddings.create(model="ebb", input="x")
