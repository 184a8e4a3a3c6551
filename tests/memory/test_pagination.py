"""Pages of a list: each row once, whatever the order, the ties and the clock."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import Space
from foundation.errors import InvalidArguments
from foundation.http.pagination import CURSOR, clock_of, keyset
from memory.drafts import MemoryDraft
from memory.models import Memory
from memory.models.memories import MemoryQuerySet
from memory.policy import DecayPolicy
from memory.store.services import create_memories
from tests.conftest import ApiClient, MakeKey
from tests.memory.writing import ALICE, NOW

DECAY = DecayPolicy()
ORDERS = ["current_importance", "created_at", "expires_at", "use_count"]


@pytest.fixture
def memories(space: Space) -> list[Memory]:
    """23 memories in three groups of ties, a third without an end."""
    drafts = [
        MemoryDraft(
            content=f"number {n}",
            importance=(0.2, 0.4, 0.9)[n % 3],
            created_at=NOW - timedelta(days=n % 4),
        )
        for n in range(23)
    ]
    made = create_memories(space=space, drafts=drafts, actor=ALICE, now=NOW)
    for n, memory in enumerate(made):
        memory.use_count = n % 3
    Memory.objects.bulk_update(made, ["use_count"])
    return made


def walk(client: ApiClient, path: str, **query: Any) -> list[dict[str, Any]]:
    """All items of a list, page by page."""
    items: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    for _ in range(50):
        answer = client.get(path, **query, **cursor)
        assert answer.status_code == 200, answer.content
        page = answer.json()
        assert len(page["items"]) <= query["limit"]
        items += page["items"]
        if page["next"] is None:
            return items
        cursor = {"cursor": page["next"]}
    raise AssertionError("the list does not end")


@pytest.mark.parametrize("order", [sign + order for order in ORDERS for sign in ("", "-")])
def test_walking_a_list_gives_each_row_once_and_in_order(
    key: MakeKey, memories: list[Memory], order: str
) -> None:
    items = walk(ApiClient(key()), "memories", limit=4, order=order)

    assert len(items) == len(memories)
    assert {item["id"] for item in items} == {str(memory.pk) for memory in memories}
    values = [item[order.removeprefix("-")] for item in items]
    known = [value for value in values if value is not None]
    assert known == sorted(known, reverse=order.startswith("-"))
    assert values == known + [None] * (len(values) - len(known)), "what never ends comes last"
    assert (None in values) is (order.removeprefix("-") == "expires_at")


def test_a_page_does_not_change_when_rows_are_added_before_it(
    key: MakeKey, space: Space, memories: list[Memory]
) -> None:
    client = ApiClient(key())
    first = client.get("memories", limit=10).json()
    drafts = [MemoryDraft(content="newer", created_at=timezone.now())]
    create_memories(space=space, drafts=drafts, actor=ALICE, now=timezone.now())

    rest = walk_from(client, first["next"])

    seen = {item["id"] for item in first["items"]} | {item["id"] for item in rest}
    assert seen == {str(memory.pk) for memory in memories}
    assert len(first["items"]) + len(rest) == len(memories)


def walk_from(client: ApiClient, cursor: str) -> list[dict[str, Any]]:
    answer = client.get("memories", limit=200, cursor=cursor).json()
    assert answer["next"] is None
    items: list[dict[str, Any]] = answer["items"]
    return items


@pytest.mark.parametrize("order", ["current_importance", "-current_importance"])
def test_a_list_by_importance_now_keeps_the_clock_it_began_with(
    space: Space, memories: list[Memory], order: str
) -> None:
    """Importance fades between two pages; a page by the later clock would repeat or lose rows."""
    seen: list[Memory] = []
    cursor: str | None = None
    for page in range(20):
        now = clock_of(cursor, default=NOW + timedelta(days=page))
        rows = Memory.objects.in_space(space).with_importance_now(decay=DECAY, now=now)
        found, cursor = keyset(order).page(rows, limit=3, cursor=cursor, as_of=now)
        seen += found
        if cursor is None:
            break

    assert len(seen) == len({memory.pk for memory in seen}) == len(memories)


SOME_ID = "6f1c2a0e-8f0b-4a6f-9d7f-0d4d6f1c2a0e"
PLACE = f"63907012800000000~{SOME_ID}"
GARBAGE = [
    "x", "é", "AAAA", "%00", "none", "none~", f"~{SOME_ID}", "1~2", "63907012800000000~no id",
    f"2026-02-18T12:00:00+00:00~{SOME_ID}", f"-1~{SOME_ID}", f"{PLACE}~", f"{PLACE}~2026-02-18",
    f"{PLACE}~1~2", f"{PLACE}\n", f"{PLACE.upper()}", f"1{'0' * 18}~{SOME_ID}", "9" * 30_000,
]  # fmt: skip


@pytest.mark.parametrize("cursor", GARBAGE)
def test_garbage_cursor_is_refused(key: MakeKey, space: Space, cursor: str) -> None:
    answer = ApiClient(key()).get("memories", cursor=cursor)

    assert answer.status_code == 422
    assert answer.json()["errors"] == [
        {"field": "cursor", "message": "is not a cursor of this list"}
    ]


def test_cursor_of_another_kind_of_rows_is_refused(key: MakeKey, space: Space) -> None:
    assert ApiClient(key()).get("history", cursor="63907012800000000~7").status_code == 200
    assert ApiClient(key()).get("history", cursor=PLACE).status_code == 422


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1e999", "1" + "0" * 330, "[]", '"x"', "-1"])
@pytest.mark.parametrize("order", ["use_count", "-current_importance"])
def test_cursor_with_what_is_no_number_is_refused(
    key: MakeKey, space: Space, value: str, order: str
) -> None:
    answer = ApiClient(key()).get("memories", cursor=f"{value}~{SOME_ID}", order=order)

    assert answer.status_code == 422, answer.content


@given(
    cursor=st.from_regex(CURSOR.removesuffix("$") + r"\Z"),
    order=st.sampled_from([sign + order for order in ORDERS for sign in ("", "-")]),
)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_looks_like_a_cursor_is_a_place_in_the_list(
    key: MakeKey, memories: list[Memory], cursor: str, order: str
) -> None:
    """The API's document says by a pattern what a cursor is."""
    answer = ApiClient(key()).get("memories", cursor=cursor, order=order)

    assert answer.status_code == 200, answer.content


def test_cursor_with_a_bad_clock_raises() -> None:
    with pytest.raises(InvalidArguments):
        clock_of(f"0.5~{SOME_ID}~now", default=NOW)
    assert clock_of(None, default=NOW) == NOW
    assert clock_of(f"0.5~{SOME_ID}~63906969600000001", default=NOW) == datetime(
        2026, 2, 18, 0, 0, 0, 1, UTC
    )


@pytest.mark.parametrize("order", ["-created_at", "created_at"])
@pytest.mark.parametrize("through", [1, 2, 5, 22, 23, 24])
def test_a_search_in_parts_finds_what_one_over_all_would(
    space: Space, memories: list[Memory], order: str, through: int
) -> None:
    """Ties lie across the bounds of the parts: there are six of a moment."""
    rows = Memory.objects.in_space(space)

    def fitting(rows: MemoryQuerySet) -> MemoryQuerySet:
        return rows.filter(importance=0.9)

    sign = order.removesuffix("created_at")
    wanted = list(fitting(rows).order_by(order, f"{sign}pk"))
    found: list[Memory] = []
    cursor, looked = None, 0
    while looked == 0 or cursor:
        page = keyset(order).searched(rows, fitting, limit=3, cursor=cursor, through=through)
        assert page.following is not None or page.until is None
        assert page.following is None or page.until is not None or len(page.rows) == 3
        found, cursor, looked = [*found, *page.rows], page.following, looked + 1

    assert found == wanted
    assert looked >= len(memories) // max(through, 3)
