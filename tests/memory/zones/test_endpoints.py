"""Other ways in name the speaker's zone too: tools, XML, mem0, imports, MCP and pages."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.authentication import in_zone_of
from accounts.models import AuditEntry, Space, User
from accounts.pages import page_access
from endpoints.mcp import resources
from foundation.moments import in_zone, zone_called
from memory.models import JobState, Memory
from tests.conftest import ApiClient, MakeKey
from tests.endpoints.mem0_client import Mem0, refused
from tests.memory.transfer.spaces import exported, imported
from tests.memory.writing import remember

pytestmark = pytest.mark.django_db
ZONES = ["Pacific/Kiritimati", "Etc/GMT+12"]
"""Their days are never the same: they are 26 hours apart."""
EXAM = "User has an exam tomorrow"


def _today(zone: str) -> datetime:
    return timezone.now().astimezone(ZoneInfo(zone))


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("in_body", [False, True])
def test_a_tool_has_the_days_of_the_call(
    api: Callable[[str | None], ApiClient], key: MakeKey, zone: str, *, in_body: bool
) -> None:
    caller, own = api(key()), {"timezone": zone} if in_body else {}
    headers = {} if in_body else {"X-Ebb-Timezone": zone}

    saved = caller.post("tools/remember", {"content": EXAM} | own, headers=headers).json()
    found = caller.post("tools/search_memories", {"query": "exam"} | own, headers=headers).json()

    tomorrow = (_today(zone) + timedelta(days=1)).date()
    assert saved["data"]["event_at"] == f"{tomorrow}T00:00:00Z"
    assert f"- [{_today(zone):%Y-%m-%d}] {EXAM}" in found["text"]


def test_a_tool_refuses_an_unknown_zone(
    api: Callable[[str | None], ApiClient], key: MakeKey
) -> None:
    for wrong in ("Mars/Olympus", 5, ["UTC"]):
        answer = api(key()).post("tools/search_memories", {"query": "tea", "timezone": wrong})
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["field"] == "timezone"


@pytest.mark.parametrize("zone", ZONES)
def test_xml_has_the_days_of_the_call(key: MakeKey, zone: str) -> None:
    headers = {"Authorization": f"Bearer {key()}", "X-Ebb-Timezone": zone}
    message = f'<memory_save importance="0.8">{EXAM}</memory_save>'

    Client(headers=headers).post("/api/v1/xml", message, content_type="application/xml")

    assert Memory.objects.get().event_day == f"{_today(zone) + timedelta(days=1):%Y-%m-%d}"


def test_mcp_reads_the_header(space: Space, alice: User, rf: object) -> None:
    remember(space, "User likes tea", now=timezone.now())
    access = page_access(alice, space.slug, "read")
    for zone in ZONES:
        request = rf.get("/mcp", headers={"X-Ebb-Timezone": zone})  # type: ignore[attr-defined]  # pytest-django's
        text = resources.read(in_zone_of(request, access), "ebb://memories/recent")
        assert f"[{_today(zone):%Y-%m-%d}] User likes tea" in text


@pytest.mark.parametrize(
    ("timestamp", "zone", "created_at"),
    [
        (1_784_250_000, "Asia/Shanghai", "2026-07-17T01:00:00+00:00"),
        ("2026-07-17T09:00:00", "Asia/Shanghai", "2026-07-17T01:00:00+00:00"),
        ("2026-07-16 18:00:00-07", "Asia/Shanghai", "2026-07-17T01:00:00+00:00"),
    ],
)
@pytest.mark.parametrize("infer", [False, True])
def test_mem0s_timestamp(
    key: MakeKey, timestamp: object, zone: str, created_at: str, *, infer: bool
) -> None:
    client = Mem0(key(), **{"X-Ebb-Timezone": zone})

    client.add("I moved to Lisbon yesterday", timestamp=timestamp, infer=infer, user_id="ana")

    memory = Memory.objects.get()
    assert memory.created_at.isoformat() == created_at
    day = "2026-07-15" if "-07" in str(timestamp)[-3:] else "2026-07-16"
    assert memory.event_day == day


@pytest.mark.parametrize("timestamp", [-1, 4_102_444_801, "1969-12-31T00:00:00Z", "soon", True])
def test_mem0_refuses_an_implausible_timestamp(key: MakeKey, timestamp: object) -> None:
    body = {"messages": [{"role": "user", "content": "I like tea"}], "timestamp": timestamp}

    assert "timestamp" in refused(Mem0(key()).call("POST", "/v3/memories/add/", body), 422)
    assert not Memory.objects.exists()


def test_an_import_reads_the_offsets_of_the_file(
    space: Space, api: Callable[[str | None], ApiClient], key: MakeKey
) -> None:
    records = [
        {"memory": "User has an exam tomorrow", "created_at": "2026-07-31T22:06:00-03:00"},
        {"memory": "用户明天有考试", "created_at": "2026-09-15 07:30:00"},
        {"memory": "User broke an arm today", "created_at": 1_767_229_200},
    ]
    file = b"\n".join(json.dumps(one).encode() for one in records)

    done = api(key()).call("POST", "import", file, headers={"X-Ebb-Timezone": "Asia/Shanghai"})

    assert done.json()["result"]["wrong"] == []
    days = dict(Memory.objects.order_by("created_at").values_list("content", "event_at"))
    assert {text: day.date().isoformat() for text, day in days.items() if day} == {
        "User has an exam tomorrow": "2026-08-01",
        "用户明天有考试": "2026-09-16",
        "User broke an arm today": "2026-01-01",
    }


def test_an_import_refuses_implausible_times(space: Space) -> None:
    file = b"\n".join(
        json.dumps({"memory": "User likes tea", "created_at": at}).encode()
        for at in ("0001-01-01T00:00:00Z", "2130-01-01T00:00:00Z")
    )

    job = imported(space, file)

    reasons = [one["reason"] for one in job.result["wrong"]]
    assert (job.state, len(reasons)) == (JobState.FAILED, 2)
    assert all(reason.startswith("timestamp: must not be") for reason in reasons)


def test_an_export_keeps_the_zones(space: Space, other_space: Space) -> None:
    said = in_zone(datetime(2026, 9, 14, 23, 30, tzinfo=UTC), zone_called("Asia/Shanghai"))
    remember(space, EXAM, now=said)

    imported(other_space, exported(space))

    kept = Memory.objects.in_space(other_space).get()
    assert (kept.said_at, kept.event_day) == (said, "2026-09-16")


# --- Pages ------------------------------------------------------------------------------------


def test_the_first_login_takes_the_browsers_zone(alice: User, space: Space, client: Client) -> None:
    form = {"login": "alice", "password": "a long password of alice"}
    for cookie, kept in (("Mars/Olympus", ""), ("Asia/Shanghai", "Asia/Shanghai"),
                         ("Europe/Paris", "Asia/Shanghai")):  # fmt: skip
        client.cookies["ebb_time_zone"] = cookie
        assert client.post(reverse("account_login"), form).status_code == 302
        alice.refresh_from_db()
        assert alice.time_zone == kept
        client.post(reverse("logout"))


def test_a_person_changes_the_zone_on_the_account_page(
    alice: User, space: Space, client: Client
) -> None:
    client.force_login(alice)
    change = reverse("account_zone", args=[space.slug])

    client.post(change, {"time_zone": "America/Sao_Paulo"})
    page = client.get(reverse("account", args=[space.slug])).content.decode()
    assert '<option translate="no" selected>America/Sao_Paulo</option>' in page
    client.post(change, {"time_zone": "Mars/Olympus"})
    alice.refresh_from_db()
    assert alice.time_zone == "America/Sao_Paulo"
    client.post(change, {"time_zone": ""})
    alice.refresh_from_db()
    assert alice.time_zone == ""


@pytest.mark.parametrize(
    ("setting", "browser", "of_space", "expected"),
    [
        ("Asia/Kolkata", "Europe/Paris", "Asia/Shanghai", "Asia/Kolkata"),
        ("", "Europe/Paris", "Asia/Shanghai", "Europe/Paris"),
        ("", "", "Asia/Shanghai", "Asia/Shanghai"),
        ("", "", "", "UTC"),
    ],
)
def test_the_order_of_the_zones_on_pages(
    alice: User, space: Space, client: Client, setting: str, browser: str, of_space: str,
    expected: str,
) -> None:  # fmt: skip
    User.objects.filter(pk=alice.pk).update(time_zone=setting)
    Space.objects.filter(pk=space.pk).update(time_zone=of_space)
    client.force_login(alice)
    client.cookies["ebb_time_zone"] = browser
    form = {"content": EXAM, "memory_type": "event"}

    client.post(reverse("memory_add", args=[space.slug]), form)

    assert Memory.objects.get().time_zone == expected


def test_an_owner_changes_the_zone_of_the_space(alice: User, space: Space, client: Client) -> None:
    client.force_login(alice)
    form = {"name": "Home", "language": "en", "time_zone": "Asia/Shanghai"}

    client.post(reverse("spaces_change", args=[space.slug]), form)
    wrong = client.post(reverse("spaces_change", args=[space.slug]), form | {"time_zone": "Mars"})

    assert "Choose one of the time zones." in wrong.content.decode()
    space.refresh_from_db()
    assert space.time_zone == "Asia/Shanghai"
    entry = AuditEntry.objects.get(space=space, action="space.changed")
    assert entry.detail == {"time_zone": "Asia/Shanghai", "before": ""}


def test_days_are_counted_in_the_callers_zone(
    api: Callable[[str | None], ApiClient], key: MakeKey, space: Space
) -> None:
    remember(space, "User likes tea", now=timezone.now())
    for zone in ZONES:
        stats = api(key()).call("GET", "stats", headers={"X-Ebb-Timezone": zone}).json()
        last = stats["days"][-1]
        assert last["day"] == f"{_today(zone):%Y-%m-%d}"
        assert last["came"] == 1


def test_a_page_shows_the_date_of_an_event_in_any_zone(
    alice: User, space: Space, client: Client
) -> None:
    """A date has no zone: 1 August stays 1 August for a reader in New York."""
    memory = remember(space, EXAM, now=datetime(2026, 7, 31, 12, tzinfo=UTC))
    User.objects.filter(pk=alice.pk).update(time_zone="America/New_York")
    client.force_login(alice)

    page = client.get(reverse("memory", args=[space.slug, memory.pk])).content.decode()

    assert "<dt>Event</dt><dd>Aug. 1, 2026</dd>" in page
