"""A program that is told by webhooks: a real HTTP server, or HTTPS, that keeps what it gets."""

import ssl
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Receiver(ThreadingHTTPServer):
    """Answers what `script` says next, (status, headers, body), and 204 when it says nothing."""

    daemon_threads = True

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        if tls:  # shaken hands with in the thread of a request, so that no caller keeps others off
            self.socket = tls.wrap_socket(
                self.socket, server_side=True, do_handshake_on_connect=False
            )
        self.script: deque[tuple[int, dict[str, str], bytes]] = deque()
        self.got: list[tuple[str, dict[str, str], bytes]] = []

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?x=1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says nothing of callers that hang up."""

    def answers(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.script.append((status, headers, body))


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.got.append((self.path, headers, body))
        status, more, said = self.server.script.popleft() if self.server.script else (204, {}, b"")
        self.send_response(status)
        for name, value in more.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


@contextmanager
def receiving(tls: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    server = Receiver(tls)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
