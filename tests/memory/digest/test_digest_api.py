"""The API of the digest: reading a week, undoing a line, and each error."""

from uuid import uuid4

import pytest
from django.utils import timezone

from accounts.models import Space
from memory.digest.weeks import week_of
from memory.retention.recycle_bin import delete_memory
from tests.conftest import ApiClient, MakeKey
from tests.memory.writing import ALICE, NOW, remember, stored

pytestmark = pytest.mark.django_db

WEEK = "2026-W08"


@pytest.fixture
def client(key: MakeKey) -> ApiClient:
    return ApiClient(key())


def test_a_week_is_read_and_its_lines_undone(client: ApiClient, space: Space) -> None:
    memory, gone = remember(space, "User likes pizza"), remember(space, "User likes tea")
    delete_memory(space=space, memory_id=gone.pk, actor=ALICE, now=NOW)

    found = client.get("digest", week=WEEK).json()

    assert (found["week"], found["begins_at"], found["next"]) == (
        WEEK, "2026-02-16T00:00:00Z", None,
    )  # fmt: skip
    assert found["counts"] == {"learned": 2, "changed": 0, "consolidated": 0, "forgotten": 1}
    lines = {(one["section"], one["content"]): one for one in found["items"]}
    assert len(lines) == 3
    learned = lines["learned", "User likes pizza"]
    assert (learned["undo"], learned["since"], learned["memory_id"]) == (
        "move_to_bin", None, str(memory.pk),
    )  # fmt: skip
    assert learned["actor"] == {"type": "user", "name": "alice"}
    assert lines["learned", "User likes tea"]["since"] == "binned"

    for line in (learned, lines["forgotten", "User likes tea"]):
        undone = client.post(f"digest/{line['id']}/undo")
        assert (undone.status_code, undone.json()["undo"]) == (200, None)
        again = client.post(f"digest/{line['id']}/undo")
        assert (again.status_code, again.json()["code"]) == (409, "conflict")

    assert (stored(memory).status, stored(gone).status) == ("binned", "live")


def test_without_a_week_the_current_one_is_shown(client: ApiClient, space: Space) -> None:
    found = client.get("digest").json()

    assert found["week"] == week_of(timezone.now()).name
    assert (found["items"], sum(found["counts"].values())) == ([], 0)


def test_a_section_has_pages(client: ApiClient, space: Space) -> None:
    for name in ("tea", "pasta", "pizza"):
        remember(space, f"User likes {name}")
    first = client.get("digest", week=WEEK, section="learned", limit="2").json()
    second = client.get(
        "digest", week=WEEK, section="learned", limit="2", cursor=first["next"]
    ).json()

    ids = [one["id"] for one in first["items"] + second["items"]]
    assert (len(first["items"]), len(set(ids)), second["next"]) == (2, 3, None)
    assert client.get("digest", week=WEEK, section="changed").json()["items"] == []


def test_each_user_reads_and_undoes_their_own(client: ApiClient, space: Space) -> None:
    remember(space, "User likes tea")
    memory = remember(space, "User likes pizza", user_id="alice")

    def contents(**query: str) -> list[str]:
        items = client.get("digest", week=WEEK, **query).json()["items"]
        return sorted(one["content"] for one in items)

    assert contents() == ["User likes tea"]
    assert contents(user_id="alice") == contents(user_id="*") == [
        "User likes pizza", "User likes tea",
    ]  # fmt: skip
    items = client.get("digest", week=WEEK, user_id="alice").json()["items"]
    own, shared = sorted(items, key=lambda one: one["user_id"] or "", reverse=True)
    assert client.post(f"digest/{own['id']}/undo").status_code == 404
    query = {"user_id": "alice"}
    refused = client.call("POST", f"digest/{shared['id']}/undo", query=query)
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert client.call("POST", f"digest/{own['id']}/undo", query=query).status_code == 200
    assert stored(memory).status == "binned"


def test_bad_input_has_a_clear_error(client: ApiClient, space: Space, key: MakeKey) -> None:
    for query, field in (
        ({"week": "2026-08"}, "week"),
        ({"week": "2025-W53"}, "week"),
        ({"section": "lost"}, "section"),
        ({"limit": "0"}, "limit"),
        ({"section": "learned", "cursor": "x"}, "cursor"),
        ({"section": "consolidated", "cursor": "1~1"}, "cursor"),
        ({"cursor": "1~1"}, "cursor"),
    ):
        answer = client.get("digest", **query)
        assert (answer.status_code, answer.json()["code"]) == (422, "memory_invalid_arguments")
        assert answer.json()["errors"][0]["field"] == field
    for line_id in ("0", "x", str(uuid4())):
        assert client.post(f"digest/{line_id}/undo").status_code == 404
    memory = remember(space, "User likes pizza")
    line_id = client.get("digest", week=WEEK).json()["items"][0]["id"]
    reader = ApiClient(key(scopes=["read"]))
    assert reader.post(f"digest/{line_id}/undo").status_code == 403
    assert stored(memory).status == "live"
