"""Errors go to Sentry and traces to OpenTelemetry, without what anybody said."""

import gzip
import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2
import pytest
from celery import current_app
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from pytest_django import Settings

from operations.monitoring.reporting import check_reporting
from operations.preconditions import StartError
from tests.processes import Processes, wait_until

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]


class Receiver(ThreadingHTTPServer):
    """A Sentry and a collector of traces: keeps the bodies that it gets, by path."""

    def __init__(self) -> None:
        self.bodies: list[tuple[str, bytes]] = []
        super().__init__(("127.0.0.1", 0), _Handler)
        self.address = f"127.0.0.1:{self.server_port}"

    def got(self, path: str) -> list[bytes]:
        return [body for to, body in self.bodies if to.startswith(path)]


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        self.server.bodies.append((self.path, body))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args: object) -> None:
        """Log nothing."""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_an_error_of_a_worker_reaches_sentry(processes: Processes, receiver: Receiver) -> None:
    processes.worker(SENTRY_DSN=f"http://key@{receiver.address}/1")

    current_app.send_task("memory.tasks.work", (1, "not-an-id"))

    def events() -> list[dict[str, object]]:
        lines = [line for body in receiver.got("/api/1/envelope") for line in body.splitlines()]
        found = [json.loads(line) for line in lines]
        return [one for one in found if "exception" in one]

    wait_until(events, what="the report")
    [event] = events()
    assert event["release"] == "ebb@0.2.0"
    assert "ValueError" in json.dumps(event["exception"])
    assert '"vars"' not in json.dumps(event)


def test_traces_reach_a_collector_without_queries(processes: Processes, receiver: Receiver) -> None:
    web = processes.web(
        OTEL_EXPORTER_OTLP_ENDPOINT=f"http://{receiver.address}", OTEL_BSP_SCHEDULE_DELAY="100"
    )

    httpx2.get(f"{web.url}/login/?next=/s/demo/%3Fq%3Dpenicillin", timeout=90).raise_for_status()

    def spans() -> dict[str, str]:
        found: dict[str, str] = {}
        for body in receiver.got("/v1/traces"):
            for of_process in ExportTraceServiceRequest.FromString(body).resource_spans:
                for scope in of_process.scope_spans:
                    found |= {span.name: str(span) for span in scope.spans}
        return found

    wait_until(lambda: "GET login/" in spans(), what="the trace")
    assert "penicillin" not in "".join(spans().values())
    assert "/login/" in spans()["GET login/"]
    assert b"ebb-web" in receiver.got("/v1/traces")[0]


@pytest.mark.parametrize(
    ("variable", "package"),
    [
        ("SENTRY_DSN", "sentry_sdk"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "opentelemetry.instrumentation"),
    ],
)
def test_a_missing_package_is_named_at_the_start(
    variable: str, package: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    setattr(settings, variable, "http://key@127.0.0.1/1")
    check_reporting()
    monkeypatch.setitem(sys.modules, package, None)

    with pytest.raises(StartError, match=f"{variable} is set, but its packages are missing"):
        check_reporting()
