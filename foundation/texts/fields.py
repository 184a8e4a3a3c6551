"""The fields that requests of many kinds have: texts, names, ids, times and time zones."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from foundation.moments import MAX_ZONE, aware, checked_zone, in_calendar, read_moment
from foundation.texts.json_limits import small
from foundation.texts.names import MAX_NAME, NAME_PATTERN, checked_name, checked_user
from foundation.texts.storable import storable_id, storable_json, storable_text

_TIME = {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "number"}]}
Spoken = Annotated[
    datetime, BeforeValidator(read_moment), AfterValidator(in_calendar), WithJsonSchema(_TIME)
]
"""The time of a statement, as it was given: naive if it names no zone (`said`)."""
Moment = Annotated[Spoken, AfterValidator(aware)]
"""A moment in UTC; one without a zone is in UTC."""
ZoneName = Annotated[
    str,
    AfterValidator(checked_zone),
    Field(
        max_length=MAX_ZONE,
        description="The IANA name of the speaker's time zone, for words such as “tomorrow”. An "
        "offset in a time comes first; the header X-Ebb-Timezone says the same for the call.",
        examples=["Asia/Shanghai"],
    ),
]

# The pattern in JSON schemas; the function enforces it.
_STORABLE = {"pattern": r"^[^\u0000]*$"}
Text = Annotated[str, AfterValidator(storable_text), Field(json_schema_extra=_STORABLE)]
Id = Annotated[str, AfterValidator(storable_id), Field(json_schema_extra=_STORABLE)]
"""A caller's id, kept as it is."""
JsonObject = Annotated[dict[str, Any], AfterValidator(small), AfterValidator(storable_json)]
_NAMING = {"minLength": 1, "pattern": NAME_PATTERN}
GivenName = Annotated[
    str, AfterValidator(checked_name), Field(max_length=MAX_NAME, json_schema_extra=_NAMING)
]
UserName = Annotated[
    str,
    AfterValidator(checked_user),
    Field(
        max_length=MAX_NAME,
        description="The user to whom the memory belongs. Without one, all users share the memory.",
        json_schema_extra=_NAMING,
    ),
]
IdempotencyKey = Annotated[Id, Field(min_length=1, max_length=200)]
