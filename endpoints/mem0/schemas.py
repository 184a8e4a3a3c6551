"""The bodies that mem0's clients send. An unknown option is refused, not ignored."""

from datetime import date
from typing import Annotated, Any, Self

from ninja import Field, Schema
from pydantic import BaseModel, BeforeValidator, model_validator

from endpoints.mem0.filters import Filter, given_fields, read_filter
from foundation.http.requests import Body
from foundation.texts.fields import GivenName, Spoken, Text
from memory.drafts import MAX_CONTENT, Content, Fraction, Metadata
from memory.metadata import bounded

MOST_RESULTS = 200
_SWITCHES = ("enable_graph", "filter_memories", "immutable", "show_expired")
"""Unsupported options, which are accepted when they are off."""

PageNumber = Annotated[int, Field(ge=1, le=1_000_000)]
PageSize = Annotated[int, Field(ge=1, le=1000)]


def as_text(content: object) -> object:
    """Join the text parts of a message; raise ValueError for images and other parts."""
    parts = [content] if isinstance(content, dict) else content
    if not isinstance(parts, list):
        return content
    texts = [part.get("text") if isinstance(part, dict) else None for part in parts]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("must be text: Ebb does not read images or files")
    return "\n".join(map(str, texts))


class MessageIn(BaseModel):
    """A message. Fields other than its role and its text are ignored."""

    role: Annotated[Text, Field(min_length=1, max_length=20)]
    content: Annotated[Text, Field(max_length=MAX_CONTENT), BeforeValidator(as_text)] | None = None

    @property
    def text(self) -> str:
        """The text, without blanks around it; "" if there is none."""
        return (self.content or "").strip()


class ClientBody(Body):
    """A body of mem0's clients. Null means not given, and so does a switch that is off. Ebb ignores
    the first fields: the key decides the space, and Ebb has only one response format.
    """

    org_id: str | int | None = None
    project_id: str | int | None = None
    org_name: str | None = None
    project_name: str | None = None
    version: str | None = None
    api_version: str | None = None
    output_format: str | None = None
    source: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, body: Any) -> Any:
        if not isinstance(body, dict):
            return body
        given = {name: value for name, value in body.items() if value is not None}
        off = [name for name in _SWITCHES if given.get(name) is False]
        return {name: value for name, value in given.items() if name not in off}


class AddIn(ClientBody):
    """Messages to learn from, or with `infer` false to save as they are. The names of user, agent,
    app and run are beside the messages or in `filters`."""

    messages: Annotated[list[MessageIn], Field(min_length=1, max_length=200)]
    user_id: str | None = None
    agent_id: GivenName | None = None
    # Also the name of the exchanges' conversation, which is shorter.
    run_id: Annotated[GivenName, Field(max_length=200)] | None = None
    app_id: GivenName | None = None
    metadata: Metadata = {}
    infer: bool = True
    async_mode: bool = False
    timestamp: Spoken | None = None

    @model_validator(mode="before")
    @classmethod
    def _named_in_filters(cls, body: Any) -> Any:
        """Read the names that newer clients put into `filters`."""
        if not isinstance(body, dict) or not isinstance(filters := body.get("filters"), dict):
            return body
        given = {name: value for name, value in body.items() if value is not None}
        del given["filters"]
        return filters | given

    @model_validator(mode="after")
    def _small_enough(self) -> Self:
        """Check the metadata again, now with the app."""
        bounded(self.names["metadata"])
        return self

    @property
    def names(self) -> dict[str, Any]:
        """The columns of a memory from these messages, without the user."""
        app = {} if self.app_id is None else {"app_id": self.app_id}
        metadata = self.metadata | app
        return {"agent_id": self.agent_id, "session_id": self.run_id, "metadata": metadata}


class FilteredIn(ClientBody):
    """The conditions of a search or a list. Older clients name user, agent, app and run beside the
    filters."""

    filters: dict[str, Any] = {}
    user_id: str | None = None
    agent_id: str | None = None
    run_id: str | None = None
    app_id: str | None = None
    metadata: dict[str, Any] = {}
    categories: list[str] = []
    fields_: Annotated[list[str], Field(alias="fields")] = []
    async_mode: bool = False
    latest_only: bool = True

    def condition(self, **more: Any) -> Filter:
        """Return all conditions, joined by AND. Raises InvalidArguments."""
        beside = given_fields(
            user_id=self.user_id, agent_id=self.agent_id, run_id=self.run_id, app_id=self.app_id,
            metadata=self.metadata, categories=self.categories, **more,
        )  # fmt: skip
        return read_filter(self.filters, beside)


class SearchIn(FilteredIn):
    """A search. Ebb ranks by the space's own profile, so `rerank` and `keyword_search` change
    nothing. `limit` is an older name of `top_k`."""

    query: Annotated[Text, Field(min_length=1, max_length=20_000)]
    top_k: Annotated[int, Field(ge=1, le=MOST_RESULTS)] | None = None
    limit: Annotated[int, Field(ge=1, le=MOST_RESULTS)] | None = None
    threshold: Fraction = 0.0
    rerank: bool = False
    keyword_search: bool = True


class ListIn(FilteredIn):
    """A list, with the first and the last day on which a memory was saved (UTC)."""

    start_date: date | None = None
    end_date: date | None = None
    keywords: str | None = None
    page: PageNumber | None = None
    page_size: PageSize | None = None

    @property
    def period(self) -> dict[str, str]:
        """The filter of the days; empty if none is given."""
        first = {"gte": f"{self.start_date}T00:00:00Z"} if self.start_date else {}
        last = {"lte": f"{self.end_date}T23:59:59.999999Z"} if self.end_date else {}
        return first | last


class UpdateIn(ClientBody):
    """A memory's new text, its new metadata, or both."""

    text: Content | None = None
    metadata: Metadata | None = None

    @model_validator(mode="before")
    @classmethod
    def _not_empty(cls, body: Any) -> Any:
        if isinstance(body, dict) and body.get("text") is None and body.get("metadata") is None:
            raise ValueError("give text or metadata; nothing else can be changed here")
        return body


class BatchUpdateItem(UpdateIn):
    """One memory of a batch to change."""

    memory_id: str


class BatchUpdateIn(ClientBody):
    """Memories to change, all or none."""

    memories: Annotated[list[BatchUpdateItem], Field(min_length=1, max_length=1000)]


class BatchDeleteItem(Body):
    """One memory of a batch to delete."""

    memory_id: str


class BatchDeleteIn(ClientBody):
    """Memories to delete, all or none."""

    memories: Annotated[list[BatchDeleteItem], Field(min_length=1, max_length=1000)]


class PageIn(Schema):
    """The page of a list, in the address."""

    page: PageNumber | None = None
    page_size: PageSize | None = None


class DeleteIn(Schema):
    """The option of a deletion, in the address."""

    delete_linked: bool = False
