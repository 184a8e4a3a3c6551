"""Writes one line per log entry, so that text from outside cannot add lines or colours to
the log.
"""

import json
import logging
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

from foundation.log_ids import current_ids

# Control characters, line separators, and marks that turn the direction of text.
_HARMFUL = (*range(32), *range(127, 160), *range(0x2028, 0x202F), *range(0x2066, 0x206A))
_ESCAPES = {code: ascii(chr(code))[1:-1] for code in _HARMFUL}
_ESCAPES_IN_LINES = {code: text for code, text in _ESCAPES.items() if chr(code) not in "\n\t"}

_Error = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


def visible(text: str) -> str:
    """Return the text with control characters and changes of direction as escapes, on one line."""
    return text.translate(_ESCAPES)


class LineFormatter(logging.Formatter):
    """Formats an entry on one line; a traceback follows on lines of its own."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the library's name
        """Return the line, with the message's control characters escaped."""
        record.message = visible(record.message)
        return super().formatMessage(record)

    def formatException(self, ei: _Error) -> str:  # noqa: N802 - the library's name
        """Return the traceback, with control characters escaped."""
        return super().formatException(ei).translate(_ESCAPES_IN_LINES)


def without_traceback(record: logging.LogRecord) -> bool:
    """Remove the traceback of an answer that is the client's fault, such as a 403 (log filter)."""
    if 400 <= getattr(record, "status_code", 500) < 500:
        record.exc_info = record.exc_text = None
    return True


class JsonFormatter(logging.Formatter):
    """Formats an entry as one JSON object, with the ids of the request and the assessment."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the object on one line, the level first: startup.processes looks for it."""
        entry = {
            "level": record.levelname,
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "logger": record.name,
            "message": record.getMessage(),
            **current_ids(),
        }
        if record.exc_info:
            entry["traceback"] = self.formatException(record.exc_info)
        return json.dumps(entry)  # escapes all but ASCII, and so all harmful characters


FORMATS: dict[str, dict[str, Any]] = {
    "LINE": {"()": LineFormatter, "format": "{levelname} {name}: {message}", "style": "{"},
    "JSON": {"()": JsonFormatter},
}
IN_ONE_LINE = {"()": "django.utils.log.CallbackFilter", "callback": without_traceback}
# "Not ready yet" is a normal answer; frequent probes would fill the log with it.
NOT_A_PROBE = {
    "()": "django.utils.log.CallbackFilter",
    "callback": lambda record: "/api/v1/health/" not in record.getMessage(),
}


def log_settings(*, level: str, entry: dict[str, Any]) -> dict[str, Any]:
    """Return the setting LOGGING: all entries from this level on, in one of FORMATS."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"entry": entry},
        "filters": {"not_a_probe": NOT_A_PROBE, "in_one_line": IN_ONE_LINE},
        "handlers": {
            "console": {
                "class": "logging.StreamHandler",
                "formatter": "entry",
                "filters": ["not_a_probe", "in_one_line"],
            }
        },
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            "httpx2": {"level": "WARNING"},
            "kombu": {"level": "ERROR"},
            # kombu warns about each pgmq:// URL without a host, such as ours.
            "kombu.connection": {"level": "ERROR"},
            "mcp": {"level": "WARNING"},
            "pgmq": {"level": "WARNING"},
            # Its debug lines have the secret of a sign-in.
            "authlib": {"level": "WARNING"},
            # uvicorn's own handler and format are replaced by the ones above.
            "uvicorn": {"level": "WARNING", "propagate": True},
        },
    }
