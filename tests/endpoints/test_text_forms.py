"""Each endpoint takes in a text in one form, and finds it however it is written."""

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any, get_args, get_origin

import pytest
from django.test import Client
from pydantic import BaseModel

from accounts.models import Space, User
from config.api import api as json_api
from endpoints.completions.messages import text_of
from endpoints.mem0.endpoint import api as mem0_api
from foundation.texts.names import checked_name, checked_user
from foundation.texts.storable import storable_id, storable_text
from memory.models import Memory
from memory.tools import TOOLS
from tests.conftest import ApiClient, MakeKey
from tests.endpoints.mem0_client import Mem0
from tests.memory.tools.tool_calls import call
from tests.memory.transfer.spaces import imported
from tests.memory.writing import remember

KEPT = "Meine Straße heißt Königsallee １２"
WRITTEN = unicodedata.normalize("NFD", KEPT)
ASKED = ["königsallee 12", "KÖNIGSALLEE", unicodedata.normalize("NFD", "Königsallee"), "STRASSE"]
PAIRS = [
    (KEPT, WRITTEN),
    ("서울에 산다", unicodedata.normalize("NFD", "서울에 산다")),
    ("User was born in 1984", "User was born in １９８４"),
    ("ガラスのコップが好き", "ｶﾞﾗｽのコップが好き"),
    ("istanbul’da yaşıyorum", "İstanbul’da yaşıyorum"),
]

Api = Callable[[str | None], ApiClient]


def texts(space: Space) -> list[str]:
    return list(Memory.objects.in_space(space).values_list("content", flat=True))


def test_the_json_api(space: Space, api: Api, key: MakeKey) -> None:
    client = api(key())
    sent = {"content": WRITTEN, "tags": ["Ｓｔｒａßｅ"], "topics": [WRITTEN]}
    made = client.post("memories", sent).json()

    assert (made["content"], made["tags"], made["topics"]) == (KEPT, ["straße"], [KEPT])
    for asked in ASKED:
        [found] = client.get("memories", q=asked).json()["items"]
        assert found["id"] == made["id"]
    for tag in ("Straße", "STRASSE", "strasse"):
        assert client.get("memories", tag=tag).json()["items"]
        found = client.post("memories/search", {"query": "x", "tags": [tag]}).json()
        assert len(found["results"]) == 1
    assert client.get("memories", q="strase").json()["items"] == []
    changed = client.patch(f"memories/{made['id']}", {"content": WRITTEN + "!"}).json()
    assert changed["content"] == KEPT + "!"


@pytest.mark.parametrize(("text", "again"), PAIRS)
def test_a_text_in_another_form_is_no_new_memory(
    space: Space, api: Api, key: MakeKey, text: str, again: str
) -> None:
    client = api(key())
    for one in (text, again):
        client.post("memories", {"content": one, "on_duplicate": "reinforce"})
    assert texts(space) == [text]


@pytest.mark.parametrize(("text", "asked"), PAIRS)
def test_a_question_in_another_form_matches_the_same_words(
    space: Space, api: Api, key: MakeKey, text: str, asked: str
) -> None:
    remember(space, text)
    client = api(key())
    [same], [other] = (
        client.post("memories/search", {"query": query}).json()["results"]
        for query in (text, asked)
    )
    assert other["similarity"] == pytest.approx(same["similarity"], abs=0.001)
    assert other["signals"]["lexical"] == pytest.approx(same["signals"]["lexical"])


def test_mem0s_endpoint(space: Space, key: MakeKey) -> None:
    client = Mem0(key())
    client.add(WRITTEN, infer=False)
    assert texts(space) == [KEPT]
    assert client.search(WRITTEN) == [KEPT]
    for asked in ASKED:
        assert client.texts({"keywords": {"icontains": asked}}) == {KEPT}
    assert client.texts({"keywords": {"contains": WRITTEN[:20]}}) == {KEPT}


def test_the_tools(space: Space) -> None:
    call(space, "memory_write", content=WRITTEN, tags=["Ｔｅａ"])
    [memory] = Memory.objects.in_space(space)
    assert (memory.content, memory.tags) == (KEPT, ["tea"])
    assert KEPT in call(space, "search_memories", query="Königsallee").text


def test_the_xml_interface(space: Space, api: Api, key: MakeKey) -> None:
    message = f'<memory_save importance="0.9">{WRITTEN}</memory_save>'
    assert api(key()).post("xml", message.encode()).status_code == 200
    assert texts(space) == [KEPT]


@pytest.mark.parametrize("line", ['["{}"]', 'content\n"{}"', '{{"content": "{}"}}'])
def test_an_import(space: Space, line: str) -> None:
    imported(space, line.format(WRITTEN).encode())
    assert texts(space) == [KEPT]


def test_the_pages(space: Space, alice: User) -> None:
    page = Client()
    page.force_login(alice)
    page.post("/s/home/memories/add/", {"content": WRITTEN, "memory_type": "fact"})
    assert texts(space) == [KEPT]
    found = page.get("/s/home/memories/", {"q": WRITTEN[-14:]}).content.decode()
    assert KEPT in found


def test_messages_of_the_openai_endpoint() -> None:
    part = {"type": "text", "text": WRITTEN}
    assert text_of({"role": "user", "content": WRITTEN}) == KEPT
    assert text_of({"role": "user", "content": [part]}) == KEPT


def test_a_secret_in_full_width_signs_is_masked(space: Space) -> None:
    call(
        space,
        "remember",
        content="My sister is Ana. My card number is ４１１１ １１１１ １１１１ １１１１",
    )
    assert all("[card number]" in text for text in texts(space))
    assert len(texts(space)) == 1


def test_ids_stay_as_they_are(space: Space, api: Api, key: MakeKey) -> None:
    """Two users whose names look alike must not read each other's memories."""
    one, other = "José", unicodedata.normalize("NFD", "José")
    remember(space, "User likes tea", user_id=one)
    client = api(key())
    assert client.get("memories", user_id=one).json()["items"]
    assert client.get("memories", user_id=other).json()["items"] == []


# --- No endpoint takes in a text in another way --------------------------------------------------

IDS = {
    "user_id", "agent_id", "session_id", "run_id", "app_id", "memory_id", "action_id", "event_id",
    "line_id", "job_id", "id", "ids", "wanted", "timezone",
}  # fmt: skip
OF_EBB = {
    "cursor",
    "profile",
    "slug",
    "language",
    "week",
    "entity_type",
    "name",
    "space",
    "fields_",
}
IGNORED = {
    "org_id", "org_name", "project_id", "project_name", "version", "api_version", "output_format",
    "source",
}  # fmt: skip
# `filters`, `categories` and `keywords` are tested above; tools have schemas of their own.
READ_LATER = {"metadata", "context", "filters", "categories", "keywords", "arguments", "changes"}
ONE_WAY_IN = {storable_text, storable_id, checked_name, checked_user}


def sent_models() -> Iterator[type[BaseModel]]:
    """The schemas of what is sent to an endpoint or a tool, and those inside them."""
    routers = [router for api in (json_api, mem0_api) for router in api._get_bound_routers()]
    paths = [path for router in routers for path in router.path_operations.values()]
    waiting: list[Any] = [one for path in paths for call in path.operations for one in call.models]
    waiting += [tool.arguments for tool in TOOLS.values()]
    known: set[Any] = set()
    while waiting:
        part = waiting.pop()
        waiting += get_args(part)
        if isinstance(part, type) and issubclass(part, BaseModel) and part not in known:
            known.add(part)
            yield part
            waiting += [field.annotation for field in part.model_fields.values()]


def has_way_in(metadata: Iterable[Any]) -> bool:
    return any(getattr(one, "func", None) in ONE_WAY_IN for one in metadata)


def takes_any_text(annotation: Any) -> bool:
    if get_origin(annotation) is Annotated:
        inner, *metadata = get_args(annotation)
        return not has_way_in(metadata) and takes_any_text(inner)
    return annotation is str or any(map(takes_any_text, get_args(annotation)))


def test_no_endpoint_takes_in_a_text_in_another_way() -> None:
    models = list(sent_models())
    others = {
        (model.__name__, name)
        for model in models
        for name, field in model.model_fields.items()
        if not has_way_in(field.metadata) and takes_any_text(field.annotation)
    }
    assert len(models) > 50
    allowed = IDS | OF_EBB | IGNORED | READ_LATER
    assert {pair for pair in others if pair[1] not in allowed} == set()
