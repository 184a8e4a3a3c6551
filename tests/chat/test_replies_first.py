"""Assessments wait while their server writes a reply: one's own server answers one at a time."""

import pytest
from pytest_django.fixtures import Settings

from accounts.models import Space
from assessor import tasks
from assessor.models import State
from memory.model_connections.choosing import ChosenModel, ModelConfiguration
from memory.model_connections.observations import observe, observed
from tests.assessor.outbox import again, queued
from tests.chat.talking import Talker
from tests.chat.tool_calls import talker
from tests.processes import wait_until
from tests.stub_model import StubModel

__all__ = ["talker"]

pytestmark = [
    pytest.mark.stack,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("queue"),
]


def server(stub_model: StubModel) -> ModelConfiguration:
    return ChosenModel("", stub_model.base_url, api_key="").configuration


@pytest.mark.parametrize(("key", "waits"), [("", True), ("key", False)])
def test_an_assessment_waits_for_the_end_of_a_reply(
    space: Space, stub_model: StubModel, settings: Settings, key: str, waits: bool
) -> None:
    settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = stub_model.base_url, key
    row = queued(space)
    # What is waited for ends by the clock; what is not, may take however long.
    observe(server(stub_model), "replying", value=True, lasts=3 if waits else 600)

    tasks.assess(space.pk, str(row.pk))

    assert (again(row).state, again(row).attempts) == (State.DONE, 1)
    assert bool(observed(server(stub_model), "replying")) is not waits


def test_a_reply_is_written_from_its_request_to_its_end(
    talker: Talker, stub_model: StubModel
) -> None:
    stub_model.script("hold:1")
    with talker.stream("Hello") as events:
        assert [next(events).name, next(events).name] == ["recalled", "token"]
        assert observed(server(stub_model), "replying")
        stub_model.release()
        assert [event.name for event in events][-1] == "done"
    assert not observed(server(stub_model), "replying")

    stub_model.script("stall:1")
    with talker.stream("Hello") as events:
        assert [next(events).name, next(events).name] == ["recalled", "token"]
    wait_until(lambda: not observed(server(stub_model), "replying"), what="the reader's leave")
