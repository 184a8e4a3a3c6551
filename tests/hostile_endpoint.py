"""An endpoint of models that means harm: it answers every request with the same bytes."""

import socket
import socketserver
import ssl
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any


class HostileEndpoint(socketserver.ThreadingTCPServer):
    """Sends `pieces` to each caller, then hangs up."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, pieces: Iterable[bytes]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pieces = pieces
        self.calls: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says nothing of callers that hang up."""


class _Handler(BaseHTTPRequestHandler):
    server: HostileEndpoint

    def do_POST(self) -> None:
        self.server.calls.append(f"{self.command} {self.path}")
        self.rfile.read(int(self.headers.get("content-length", 0)))
        for piece in self.server.pieces:
            self.wfile.write(piece)
        self.close_connection = True

    do_GET = do_POST  # noqa: N815 - the standard library's name

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


def answer(status: str, body: bytes, **headers: str) -> bytes:
    """Return the bytes of an HTTP answer of JSON, or of another content type."""
    lines = {"content-type": "application/json", "content-length": str(len(body))}
    lines |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return f"HTTP/1.1 {status}\r\n{head}connection: close\r\n\r\n".encode() + body


@contextmanager
def hostile(*pieces: bytes) -> Iterator[HostileEndpoint]:
    """Run an endpoint that answers with these pieces."""
    with hostile_stream(pieces) as server:
        yield server


@contextmanager
def hostile_stream(pieces: Iterable[bytes]) -> Iterator[HostileEndpoint]:
    """Run an endpoint as `hostile` does. Each request reads the pieces from their beginning; they
    may have no end."""
    server = HostileEndpoint(pieces)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def nonsense(tls: ssl.SSLContext, said: bytes) -> Iterator[int]:
    """Run a TLS server that says these bytes, then sends unencrypted nonsense; yield its port."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            inside = tls.wrap_socket(self.request, server_side=True)
            inside.recv(10_000)
            if said:
                inside.sendall(said)
            with socket.socket(fileno=inside.detach()) as outside:
                outside.sendall(b"nonsense" * 50)
                outside.recv(10_000)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield int(server.server_address[1])
        server.shutdown()
        thread.join()
