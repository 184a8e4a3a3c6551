"""Many open streams: no thread and no database connection waits for a model."""

import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx2
import psutil
import psycopg
import pytest

from chat.models import Message
from tests.conftest import MakeKey
from tests.processes import PATIENCE, Processes, wait_until
from tests.stub_model import StubModel

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]

STREAMS = 60
POOL = 10  # EBB_DB_POOL: what requests may take, streams or not
QUEUE_SESSIONS = 4  # pgmq's two pools, each with a spare one while tasks are put there at once
LISTENING = 1  # the session that hears the other web processes
MOST = POOL + QUEUE_SESSIONS + LISTENING


@dataclass
class Readers:
    """People who read the first token of a reply and stay until they are told to leave."""

    url: str
    secret: str
    leave: threading.Event = field(default_factory=threading.Event)
    begun: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    heard: list[str] = field(default_factory=list)

    @contextmanager
    def reading(self, number: int) -> Iterator[None]:
        """So many read at once inside the block, and leave at its end."""
        self.leave.clear()
        self.heard.clear()
        threads = [threading.Thread(target=self._read) for _ in range(number)]
        for thread in threads:
            thread.start()
            # Two threads that begin at once under coverage: Python 3.11 can refuse one its trace
            # function, and that thread ends before its first line.
            self.begun.acquire()
        try:
            wait_until(lambda: len(self.heard) == number, what="the first tokens")
            yield
        finally:
            self.leave.set()
            for thread in threads:
                thread.join()

    def _read(self) -> None:
        self.begun.release()
        headers = {"Authorization": f"Bearer {self.secret}"}
        body = {"message": "I like pizza a lot", "stream": True}
        with (
            httpx2.Client(timeout=PATIENCE) as client,
            client.stream("POST", f"{self.url}/api/v1/chat", json=body, headers=headers) as reply,
        ):
            lines = reply.iter_lines()
            while (line := next(lines)) != "event: token":
                pass
            self.heard.append(line)
            self.leave.wait()


def no_reply_is_open() -> bool:
    return not Message.objects.filter(state__in=["pending", "streaming"]).exists()


def sessions(queue: str) -> list[str]:
    """The states of the web server's database sessions."""
    with psycopg.connect(queue) as database:
        rows = database.execute(
            "SELECT state FROM pg_stat_activity WHERE application_name = 'ebb-web'"
        ).fetchall()
    return [state for [state] in rows]


def busy(states: list[str]) -> bool:
    return set(states) != {"idle"}


def tasks_on(queue: str) -> int:
    """Return the number of tasks waiting for a worker; the first one creates the table."""
    with psycopg.connect(queue) as database:
        [table] = database.execute("SELECT to_regclass('pgmq.q_ebb')").fetchone() or [None]
        if table is None:
            return 0
        [count] = database.execute("SELECT count(*) FROM pgmq.q_ebb").fetchone() or [0]
    return int(count)


def test_open_streams_hold_no_thread_and_no_connection(
    processes: Processes, queue: str, key: MakeKey, stub_model: StubModel
) -> None:
    web = processes.web(
        OPENAI_BASE_URL=stub_model.base_url, EBB_DB_POOL=str(POOL), PGAPPNAME="ebb-web"
    )
    server = psutil.Process(web.pid)

    stub_model.script(*["stall:1"] * 2 * STREAMS)
    readers = Readers(web.url, key())
    # The first round starts every thread that requests share: the loop's executor (six on two
    # cores, started on demand), and three for each pool of connections (Django's, and the queue's
    # two, which open when the first task is put there: after its reply has ended).
    waiting = tasks_on(queue)
    with readers.reading(STREAMS):
        stub_model.until_asked(STREAMS)
    wait_until(no_reply_is_open, what="the end of all replies")
    stub_model.until_left()
    # One for each reply, and the trial of the model's tools.
    wait_until(lambda: tasks_on(queue) > waiting + STREAMS, what="the tasks")
    # What it may still start on demand is the rest of the loop's executor.
    threads = server.num_threads() + min(32, (os.cpu_count() or 1) + 4)

    with readers.reading(STREAMS):
        # A request's own thread ends when its stream begins.
        wait_until(lambda: server.num_threads() <= threads, what="the end of requests' threads")
        assert len(sessions(queue)) <= MOST
        # Nobody is in the middle of anything: what is connected waits in a pool.
        wait_until(lambda: not busy(sessions(queue)), what="the rest of the sessions")
        answer = httpx2.get(f"{web.url}/api/v1/health/live", timeout=PATIENCE)
        assert (answer.status_code, stub_model.control.active_replies) == (200, STREAMS)

    wait_until(no_reply_is_open, what="the end of all replies")
    replies = Message.objects.filter(role="assistant")
    assert Counter(replies.values_list("state", "content")) == {("stopped", "You"): 2 * STREAMS}
    wait_until(lambda: server.num_threads() <= threads, what="the end of threads")
    assert len(sessions(queue)) <= MOST
