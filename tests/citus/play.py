"""Ebb's real processes on a cluster: spaces on two nodes, all kinds of work, a node that dies."""

import json
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from pathlib import Path

import httpx2
import psycopg
import pytest
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from accounts.members.services import add_member
from accounts.models import Embedder, Role, Space, User
from assessor.models import Assessment
from ebb_client import Ebb, EbbError
from foundation.actors import SYSTEM
from memory.models import Job, Memory, MemoryEmbedding, MemoryEvent
from memory.spaces.services import create_space
from memory.webhooks.services import create_webhook
from operations.backup.backup import back_up, restore
from operations.monitoring.doctor import examine
from tests.addresses import find_admin_pages, find_pages
from tests.citus.cluster import Cluster, Node
from tests.config.test_api_contract import things
from tests.conftest import MakeKey
from tests.memory.webhooks.receiver import Receiver, receiving
from tests.processes import Processes, processes, queue, wait_until

__all__ = ["processes", "queue", "things"]

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]

RECEIVES_HERE = {"EBB_WEBHOOKS_PRIVATE": "1"}
SAID = [f"My locker at pool number {number} has the code {number * 37}" for number in range(12)]


def node_of(space: Space, cluster: Cluster) -> Node:
    """The node with the rows of a space."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT nodeport FROM pg_dist_placement JOIN pg_dist_node USING (groupid) WHERE"
            " shardid = get_shard_id_for_distribution_column('memory_memory', %s)",
            [space.pk],
        )
        [[port]] = cursor.fetchall()
    return next(node for node in cluster.nodes if node.port == port)


@pytest.fixture
def spaces(cluster: Cluster, embedder: Embedder) -> list[Space]:
    """Two spaces, on two nodes."""
    found: dict[int, Space] = {}
    for number in range(50):
        space = create_space(
            slug=f"space-{number}", name=f"Space {number}", embedder=embedder, actor=SYSTEM
        )
        found.setdefault(node_of(space, cluster).port, space)
        if len(found) == 2:
            return list(found.values())
    raise AssertionError("50 spaces are on one node")


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as server:
        yield server


def unfinished() -> int:
    return Assessment.objects.exclude(state__in=["done", "ignored"]).count()


def test_the_tables_are_distributed_and_doctor_says_so(cluster: Cluster) -> None:
    said = StringIO()
    call_command("distribute", stdout=said)

    assert said.getvalue() == "Nothing is left to do.\n"
    [finding] = [one for one in examine() if one.part == "distribution"]
    assert (finding.said, finding.advice) == ("Spaces are distributed over 2 nodes.", "")


def test_a_day_in_spaces_on_two_nodes(
    processes: Processes,
    spaces: list[Space],
    key: MakeKey,
    receiver: Receiver,
    settings: Settings,
) -> None:
    settings.EBB_WEBHOOKS_PRIVATE = True
    for space in spaces:
        create_webhook(
            space=space, url=receiver.url, events=["memory.created", "memory.revised"],
            actor=SYSTEM, now=timezone.now(),
        )  # fmt: skip
    web = processes.web()
    processes.worker(**RECEIVES_HERE)
    processes.beat()
    clients = [Ebb(web.url, key(space)) for space in spaces]

    for client in clients:
        for said in SAID:
            client.queue_assessment(said, assistant_response="Noted.")
        saved = client.remember("User is allergic to penicillin", importance=0.9)
        client.revise(saved["id"], content="User is allergic to all penicillins")
        assert client.chat("What am I allergic to?")["reply"]
        assert client.search("allergy")["results"][0]["memory"]["content"].endswith("penicillins")
        client.forget(saved["id"])
        assert client.restore(saved["id"])
        client.change_policy({"capacity": 5, "grace_hours": 0})
    wait_until(lambda: unfinished() == 0, what="the end of all assessments")

    for client, space in zip(clients, spaces, strict=True):
        client.sweep()
        wait_until(lambda: not Job.objects.unfinished().exists(), what="the sweep")
        assert Memory.objects.in_space(space).live().count() <= 5
        assert not Assessment.objects.in_space(space).exclude(state__in=["done", "ignored"])

    told = MemoryEvent.objects.filter(action__in=["created", "revised"])
    ids = set(told.values_list("pk", flat=True))
    assert len(ids) >= 4
    wait_until(lambda: len(receiver.got) >= len(ids), what="the webhooks")
    got = [json.loads(body)["data"]["event_id"] for _path, _headers, body in receiver.got]
    assert sorted(got) == sorted(ids)


@pytest.mark.usefixtures("things", "queue")
def test_every_page_and_admin_list_answers(space: Space) -> None:
    user = User.objects.create_superuser("owner", password=None)
    add_member(space=space, user=user, role=Role.OWNER, actor=SYSTEM, now=timezone.now())
    client = Client()
    client.force_login(user)

    found = find_pages(client.get, space)
    in_admin = find_admin_pages()

    assert len(found.pages) > 30
    assert {url: client.get(url).status_code for url in in_admin.values()} == dict.fromkeys(
        in_admin.values(), 200
    )


def test_a_space_moves_to_another_node_by_a_file(
    processes: Processes, spaces: list[Space], key: MakeKey
) -> None:
    web = processes.web()
    here, there = (Ebb(web.url, key(space)) for space in spaces)
    here.remember_all([{"content": said} for said in SAID])
    headers = [{"Authorization": f"Bearer {key(space)}"} for space in spaces]
    address = f"{web.url}/api/v1"

    file = httpx2.get(f"{address}/export", headers=headers[0], timeout=60)
    job = httpx2.post(
        f"{address}/import",
        headers=headers[1] | {"Content-Type": "application/x-ndjson"},
        content=file.content,
        timeout=60,
    )

    assert job.status_code == 200, job.text
    contents = sorted(memory["content"] for memory in there.memories())
    assert contents == sorted(SAID)
    assert {memory["id"] for memory in there.memories()}.isdisjoint(
        memory["id"] for memory in here.memories()
    )
    counts = [MemoryEmbedding.objects.in_space(space).count() for space in spaces]
    assert counts == [len(SAID), len(SAID)]


def test_while_a_node_is_away_others_are_read_and_written_and_nothing_accepted_is_lost(
    cluster: Cluster, processes: Processes, spaces: list[Space], key: MakeKey
) -> None:
    web = processes.web()
    worker = processes.worker(**RECEIVES_HERE)
    processes.beat()
    alive, dead = (Ebb(web.url, key(space), retries=0) for space in spaces)
    accepted = [dead.remember(said)["content"] for said in SAID[:3]]
    queued = [dead.queue_assessment(f"{said}, again") for said in SAID[3:6]]
    alive.remember(SAID[0])

    node = node_of(spaces[1], cluster)
    node.stop()
    try:
        for _again in range(5):
            wait_until(lambda: _answers(alive), what="a new connection")
            assert list(alive.memories())
            _write(alive)
            with pytest.raises(EbbError) as refused:
                dead.remember("I talk, and nobody hears it")
            assert refused.value.status == 503, refused.value
        [finding] = [one for one in examine() if one.part == "distribution"]
        assert str(node.port) in finding.said
    finally:
        node.start()
        connection.close()
        connection.close_pool()  # type: ignore[attr-defined]  # PostgreSQL's own; the stubs know less

    wait_until(lambda: _answers(dead), what="the node's return")
    wait_until(lambda: unfinished() == 0, what="the end of all assessments")
    assert worker.has_said("")
    found = [memory["content"] for memory in dead.memories()]
    # An assessment may add its words to a memory that says something similar.
    assert all(any(said in content for content in found) for said in accepted)
    assert not any("nobody hears" in content for content in found)
    assert Assessment.objects.in_space(spaces[1]).count() == len(queued)


def _write(client: Ebb) -> None:
    """All kinds of writes in a space of a living node."""
    saved = client.remember("User is allergic to penicillin", importance=0.9)
    client.remember("User is allergic to penicillin")
    client.revise(saved["id"], content="User is allergic to all penicillins")
    assert client.chat("What am I allergic to?")["reply"]
    queued = client.queue_assessment(SAID[6], assistant_response="Noted.")["id"]
    wait_until(
        lambda: client.assessment(queued)["status"] in {"done", "ignored"}, what="the assessment"
    )
    client.change_policy({"capacity": 50 + len(list(client.memories()))})
    client.forget(saved["id"])
    client.restore(saved["id"])


def _answers(client: Ebb) -> bool:
    try:
        client.search("locker")
    except EbbError:
        return False
    return True


def test_a_backup_can_be_restored_into_one_postgresql(
    cluster: Cluster, spaces: list[Space], key: MakeKey, settings: Settings, tmp_path: Path,
    processes: Processes,
) -> None:  # fmt: skip
    web = processes.web()
    for space in spaces:
        Ebb(web.url, key(space)).remember_all([{"content": said} for said in SAID])
    file = tmp_path / "ebb.backup"
    back_up(file)
    plain = cluster.coordinator.url("plain")
    with psycopg.connect(cluster.coordinator.url(), autocommit=True) as session:
        session.execute("CREATE ROLE plain LOGIN")
        session.execute("CREATE DATABASE plain OWNER plain")
    with psycopg.connect(plain) as session:
        session.execute("CREATE EXTENSION vector")

    settings.DATABASE_URL = plain.replace("postgres@", "plain@")
    restore(file, replace=False, even_if_running=True, now=timezone.now(), say=print)

    with psycopg.connect(plain) as session:
        [extensions] = session.execute("SELECT array_agg(extname) FROM pg_extension").fetchall()
        assert "citus" not in extensions[0]
        assert session.execute("SELECT count(*) FROM memory_memory").fetchone() == (2 * len(SAID),)
        [kept] = session.execute(
            "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND cardinality(conkey) = 2"
        ).fetchall()
        assert kept[0] >= 12


def test_a_search_names_one_shard(
    processes: Processes, spaces: list[Space], key: MakeKey, capsys: pytest.CaptureFixture[str]
) -> None:
    web = processes.web()
    client = Ebb(web.url, key(spaces[0]))
    client.remember_all([{"content": said} for said in SAID])
    times = []
    for number in range(60):
        began = time.monotonic()
        assert client.search(f"locker {number}")["results"]
        times.append(timedelta(seconds=time.monotonic() - began))
    middle = sorted(times)[len(times) // 2] / timedelta(milliseconds=1)
    with capsys.disabled():
        sys.stdout.write(f"\nA search over HTTP took {middle:.1f} ms (median of {len(times)}).\n")
