"""A pooler whose PostgreSQL is away: it lets clients in, and answers no query with a result."""

import socketserver
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager


def _message(kind: bytes, body: bytes) -> bytes:
    return kind + struct.pack("!I", len(body) + 4) + body


_WELCOME = _message(b"R", struct.pack("!I", 0)) + _message(b"Z", b"I")


class _Session(socketserver.BaseRequestHandler):
    refusal: bytes

    def handle(self) -> None:
        while b"user\0" not in self.request.recv(1024):
            self.request.sendall(b"N")  # no TLS
        self.request.sendall(_WELCOME)
        self.request.recv(1024)
        if self.refusal:
            self.request.sendall(self.refusal)
        else:
            self.request.recv(1024)  # until the client gives up


@contextmanager
def stub_pooler(refusal: str) -> Iterator[str]:
    """Run the pooler; yield its address. Without a refusal, it does not answer queries at all."""
    fields = f"SFATAL\0C08P01\0M{refusal}\0\0".encode()
    session = type("Session", (_Session,), {"refusal": refusal and _message(b"E", fields)})
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), session) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"postgresql://ebb:secret@127.0.0.1:{server.server_address[1]}/ebb"
        server.shutdown()
        thread.join()
