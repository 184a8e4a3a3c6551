"""Writes the answers of the JSON API."""

import json
from typing import Any

import orjson
from django.http import HttpRequest
from ninja.renderers import BaseRenderer
from ninja.responses import NinjaJSONEncoder

_other_types = NinjaJSONEncoder().default


class JsonAnswers(BaseRenderer):
    """Write an answer with orjson, which takes a fifth of json's time."""

    media_type = "application/json"

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> Any:
        """Return the data as JSON."""
        try:
            return orjson.dumps(data, default=_other_types, option=orjson.OPT_PASSTHROUGH_DATETIME)
        except TypeError:  # an integer of more than 64 bits in a memory's metadata, for example
            return json.dumps(data, cls=NinjaJSONEncoder)
