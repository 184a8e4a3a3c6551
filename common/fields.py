"""The fields of requests with a time or a time zone."""

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from common.moments import (MAX_ZONE, aware, checked_zone, in_calendar, read_moment)

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
