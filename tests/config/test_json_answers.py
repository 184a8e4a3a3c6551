"""The JSON of the API's answers."""

import json
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from django.http import HttpRequest
from django.utils.translation import gettext_lazy
from ninja.responses import NinjaJSONEncoder

from accounts.models import Role
from config.api.json_answers import JsonAnswers


@pytest.mark.parametrize(
    "value",
    [
        {"text": "二 · é \x7f", "number": 0.1, "none": None, "list": [1, True]},
        datetime(2026, 11, 25, 10, 0, 1, 234567, tzinfo=UTC),
        datetime(2026, 11, 25, tzinfo=UTC),
        UUID(int=1),
        Role.OWNER,
        gettext_lazy("Save"),
        {"more than 64 bits": 10**30},
        {1: "a key that is no text"},
    ],
)
def test_an_answer_says_what_ninjas_own_json_says(value: Any) -> None:
    written = JsonAnswers().render(HttpRequest(), value, response_status=200)

    assert json.loads(written) == json.loads(json.dumps(value, cls=NinjaJSONEncoder))
