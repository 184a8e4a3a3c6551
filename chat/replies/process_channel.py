"""Messages between web processes, through LISTEN and NOTIFY of PostgreSQL.

Each process listens on a shared channel and on its own. PostgreSQL does not store messages: without
a listener, a message is lost.
"""

import asyncio
import json
import logging
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import psycopg
from django.conf import settings
from django.db import connection
from psycopg import sql

logger = logging.getLogger(__name__)

ALL = "ebb_web"
OWN = f"ebb_web_{uuid4().hex}"
"""The channel of this process."""

# A notification has at most 7,999 bytes. The JSON is ASCII.
PIECE = 7900
PAUSE = 5.0  # seconds between two attempts to connect

ProcessMessage = dict[str, Any]


def send(channel: str, message: ProcessMessage) -> None:
    """Send a message to the processes that listen on the channel."""
    text = json.dumps(message)
    pieces = [text[begin : begin + PIECE] for begin in range(0, len(text), PIECE)]
    # The number of pieces that follow. It also makes equal pieces differ, because PostgreSQL drops
    # repeated notifications within a transaction.
    numbered = [f"{len(pieces) - place} {piece}" for place, piece in enumerate(pieces, start=1)]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_notify(%s, piece) FROM unnest(%s::text[]) AS piece", [channel, numbered]
        )


async def listen(handle: Callable[[ProcessMessage], None]) -> None:
    """Call `handle` with each message to this process until the task is cancelled.

    Connects again after an error. A pooler that shares connections does not pass notifications on,
    so this returns at once if the address of PostgreSQL itself is unknown.
    """
    if not settings.LISTEN_ADDRESS:
        logger.warning(
            "DATABASE_URL leads to a pooler. A page that is reloaded while another web process "
            "writes its reply shows the reply when it is complete."
        )
        return
    while True:
        try:
            await _listen(handle)
        except psycopg.OperationalError as error:
            logger.warning("This web process cannot hear the others: %s", error)
        await asyncio.sleep(PAUSE)


async def _listen(handle: Callable[[ProcessMessage], None]) -> None:
    """Pass messages on until the connection breaks; raises OperationalError then."""
    address = settings.LISTEN_ADDRESS
    async with await psycopg.AsyncConnection.connect(address, autocommit=True) as listening:
        for channel in (ALL, OWN):
            await listening.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
        text = ""
        async for notification in listening.notifies():
            # The pieces of a message come one after the other: they were sent in one transaction.
            following, _, piece = notification.payload.partition(" ")
            text += piece
            if following == "0":
                handle(json.loads(text))
                text = ""
