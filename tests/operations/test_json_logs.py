"""The log as JSON: one object a line, with the ids of what it is about."""

import json
import logging
from collections.abc import Iterator
from contextvars import Context
from datetime import UTC, datetime, timedelta

import pytest

from foundation import log_ids
from operations.monitoring.logs import JsonFormatter


@pytest.fixture
def ids() -> Iterator[None]:
    """A request and an assessment under way."""
    request, assessment = log_ids.request_id.set("call-7"), log_ids.assessment_id.set("5f0c")
    yield
    log_ids.request_id.reset(request)
    log_ids.assessment_id.reset(assessment)


def formatted(message: str, *arguments: object, error: Exception | None = None) -> str:
    record = logging.LogRecord("ebb.test", logging.WARNING, "file", 1, message, arguments, None)
    if error is not None:
        record.exc_info = (type(error), error, error.__traceback__)
    return JsonFormatter().format(record)


def test_an_entry_has_level_time_and_ids(ids: None) -> None:
    entry = json.loads(formatted("%s waits", "It"))

    assert (entry["level"], entry["logger"], entry["message"]) == (
        "WARNING",
        "ebb.test",
        "It waits",
    )
    assert (entry["request_id"], entry["assessment_id"]) == ("call-7", "5f0c")
    assert abs(datetime.now(UTC) - datetime.fromisoformat(entry["time"])) < timedelta(minutes=1)


def test_ids_are_left_out_where_there_are_none() -> None:
    entry = Context().run(formatted, "Nothing")

    assert set(json.loads(entry)) == {"level", "time", "logger", "message"}


def test_an_error_and_anything_that_was_sent_stay_on_one_line() -> None:
    text = formatted("a\nb\x1b[31m\u2028\u202ec", error=ValueError("what\nwas sent"))

    assert text.isascii()
    assert len(text.splitlines()) == 1
    assert json.loads(text)["message"] == "a\nb\x1b[31m\u2028\u202ec"
    assert "ValueError: what\nwas sent" in json.loads(text)["traceback"]
