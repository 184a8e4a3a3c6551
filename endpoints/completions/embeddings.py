"""`POST /v1/embeddings`: vectors of texts by the space's embedding model or a built-in one."""

from base64 import b64encode
from typing import Annotated, Literal

from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from ninja import Field, Router
from pydantic import BaseModel, BeforeValidator

from accounts.authentication import access_to
from accounts.limits.rate_limits import CallKind, count_call
from accounts.models import Space
from assessor.llm.errors import ModelNotFound
from endpoints.completions.backends import DEFAULT_NAMES
from endpoints.completions.schemas import Json
from foundation.database.connections import release_connection
from foundation.errors import FieldError, InvalidArguments
from foundation.texts.fields import Text
from memory.embeddings import BUILT_IN, Embedder, RemoteEmbedder, get_embedder

router = Router(tags=["OpenAI-compatible"])

MAX_TEXTS, MAX_TEXT = 2048, 32_768
"""Maximum number of texts in a request, and of characters in a text, similar to OpenAI's own
limits.
"""


def _texts(value: object) -> object:
    """Return the input as a list of texts; raise ValueError for token lists, which depend on
    OpenAI's tokenizer.
    """
    given = value if isinstance(value, list) else [value]
    if any(isinstance(item, int | list) for item in given):
        raise ValueError("must be a string or a list of strings. Ebb does not accept token lists")
    if not given or not all(isinstance(item, str) and item for item in given):
        raise ValueError("must be a string or a list of strings, none of them empty")
    return given


class EmbeddingIn(BaseModel):
    """A request for vectors in OpenAI's format. A single text counts as a list of one."""

    input: Annotated[
        list[Annotated[Text, Field(max_length=MAX_TEXT)]],
        Field(max_length=MAX_TEXTS),
        BeforeValidator(_texts, json_schema_input_type=str | list[str]),
    ]
    model: str = ""
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: int | None = None
    user: str | None = None


class EmbeddingOut(BaseModel):
    """One vector: numbers, or the base64 of 32-bit floats, little-endian."""

    object: Literal["embedding"] = "embedding"
    index: int
    embedding: list[float] | str


class EmbeddingList(BaseModel):
    """The vectors in the order of the texts. Ebb counts no tokens: `usage` is 0."""

    object: Literal["list"] = "list"
    data: list[EmbeddingOut]
    model: str
    usage: dict[str, int] = {"prompt_tokens": 0, "total_tokens": 0}


@router.post(
    "embeddings",
    response=EmbeddingList,
    url_name="embeddings",
    operation_id="createEmbedding",
)
def create_embeddings(request: HttpRequest, asked: EmbeddingIn) -> JsonResponse:
    """Return a vector of length 1 for each text. Longer texts than the model accepts are cut. A
    model that is not built in needs the scope `write`."""
    access = access_to(request, "read")
    count_call(access, CallKind.SEARCH, now=timezone.now())
    embedder = _chosen(access.space, asked.model)
    if asked.dimensions not in (None, embedder.dimensions):
        reason = f"{embedder.model} has {embedder.dimensions} dimensions. Leave the field out"
        raise InvalidArguments(FieldError("dimensions", reason))
    if isinstance(embedder, RemoteEmbedder):
        access.require("write")  # because it may cost money
        release_connection()
    vectors = embedder.embed(asked.input)
    if asked.encoding_format == "base64":
        written = [b64encode(row.astype("<f4").tobytes()).decode() for row in vectors]
    else:
        written = vectors.tolist()
    items = [EmbeddingOut(index=place, embedding=row) for place, row in enumerate(written)]
    return JsonResponse(EmbeddingList(data=items, model=embedder.model).model_dump())


def embedding_models(space: Space) -> list[Json]:
    """Return the embedding models that a space's key can use, the space's own first."""
    owners = {
        name: "ebb" if provider == "local" else provider for provider, name, _ in _known(space)
    }
    return [
        {"id": name, "object": "model", "created": 0, "owned_by": owner}
        for name, owner in owners.items()
    ]


def _chosen(space: Space, name: str) -> Embedder:
    """Return the embedder with this name, or the space's own; raises ModelNotFound."""
    if name.lower() in DEFAULT_NAMES:
        return get_embedder(*_known(space)[0])
    for known in _known(space):
        if known[1] == name:
            return get_embedder(*known)
    names = ", ".join(dict.fromkeys(model for _, model, _ in _known(space)))
    raise ModelNotFound(f"{name!r} is not one of this space's embedding models: {names}")


def _known(space: Space) -> list[tuple[str, str, int]]:
    """Return provider, model and dimensions of each embedder that the space can use."""
    own = space.embedder
    built_in = [("local", model, dimensions) for model, dimensions in BUILT_IN.items()]
    return [(own.provider, own.model, own.dimensions), *built_in]
