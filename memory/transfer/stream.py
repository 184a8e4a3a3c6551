"""Streaming of a space's file to a client while it is written."""

import asyncio
from collections.abc import AsyncGenerator, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import datetime

from django.db import connections
from django.http import StreamingHttpResponse

from memory.models import Space
from memory.transfer.export import export_lines

_PIECE = 64 * 2**10  # bytes


def export_response(space: Space, *, now: datetime) -> StreamingHttpResponse:
    """Return the file as an attachment. A truncated file lacks its last line, and its import
    reports this."""
    response = StreamingHttpResponse(
        _streamed(_pieces(export_lines(space, now=now))), content_type="application/x-ndjson"
    )
    name = f"{space.slug}-{now:%Y-%m-%d}.jsonl"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    return response


async def _streamed(pieces: Generator[bytes]) -> AsyncGenerator[bytes]:
    """Return the pieces, read on a separate thread, which owns the snapshot's database
    connection."""
    loop, thread = asyncio.get_running_loop(), ThreadPoolExecutor(1)
    try:
        while (piece := await loop.run_in_executor(thread, next, pieces, b"")) != b"":
            yield piece
    finally:
        # Runs after the current piece, if the reader has disconnected.
        thread.submit(_close, pieces)
        thread.shutdown(wait=False)


def _pieces(lines: Generator[str]) -> Generator[bytes]:
    with closing(lines):
        yield from _joined(lines)


def _joined(lines: Iterator[str]) -> Iterator[bytes]:
    waiting: list[bytes] = []
    size = 0
    for line in lines:
        waiting.append(line.encode())
        size += len(waiting[-1])
        if size >= _PIECE:
            yield b"".join(waiting)
            waiting, size = [], 0
    yield b"".join(waiting)


def _close(pieces: Generator[bytes]) -> None:
    pieces.close()
    connections.close_all()
