"""Sends a space's file: writes it to a temporary file, then sends it as fast as the client reads.

So a slow client occupies a file, but no database connection. Each space may have a few simultaneous
downloads, and a client that reads nothing for a minute is disconnected.
"""

import asyncio
import tempfile
import threading
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import closing
from datetime import datetime
from typing import IO

from django.conf import settings
from django.http import StreamingHttpResponse

from accounts.models import Space
from foundation.errors import RateLimited
from foundation.readers import Reader
from memory.transfer.export import export_lines

MOST_AT_ONCE = 2  # downloads of one space from this process
PATIENCE = 60.0  # seconds for one piece
_PIECE = 64 * 2**10  # bytes

_open: Counter[int] = Counter()  # downloads by space
_lock = threading.Lock()


class _Download:
    """A written file that is sent in pieces. Closing it frees its place; it may be closed twice."""

    def __init__(self, space: Space) -> None:
        self._space_id = space.pk
        self.file: IO[bytes] = tempfile.TemporaryFile(dir=_folder())  # noqa: SIM115 - see `close`
        with _lock:
            _open[space.pk] += 1
            too_many = _open[space.pk] > MOST_AT_ONCE
        if too_many:
            self.close()
            raise RateLimited(
                f"{MOST_AT_ONCE} exports of this space are being downloaded. Wait for one to end.",
                retry_after=PATIENCE,
            )

    def __del__(self) -> None:
        self.close()  # of a response that nobody sent

    async def __aiter__(self) -> AsyncGenerator[bytes]:
        loop, request = asyncio.get_running_loop(), asyncio.current_task()
        with closing(self):
            while piece := await loop.run_in_executor(None, self.file.read, _PIECE):
                watch = loop.call_later(PATIENCE, request.cancel) if request else None
                yield piece
                if watch is not None:
                    watch.cancel()

    def close(self) -> None:
        """Delete the file and free its place among the space's downloads."""
        with _lock:
            if self.file.closed:
                return
            self.file.close()
            _open[self._space_id] -= 1


def export_response(space: Space, reader: Reader, *, now: datetime) -> StreamingHttpResponse:
    """Return the file as an attachment. A truncated file lacks its last line, and its import
    reports this. Raises RateLimited if the space has enough downloads already.
    """
    download = _Download(space)
    try:
        with closing(export_lines(space, reader, now=now)) as lines:
            download.file.writelines(line.encode() for line in lines)
        size = download.file.tell()
        download.file.seek(0)
    except BaseException:
        download.close()
        raise
    response = StreamingHttpResponse(download, content_type="application/x-ndjson")
    name = f"{space.slug}-{now:%Y-%m-%d}.jsonl"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Content-Length"] = str(size)
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    return response


def _folder() -> str:
    """Return a folder on the disk that has room for the database, not in memory as /tmp may be."""
    folder = settings.EBB_DATA_DIR / "exports"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return str(folder)
