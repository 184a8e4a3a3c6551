"""Mail to owners: what is new, once, to those who have an address."""

from datetime import timedelta

import pytest
from django.core import mail
from pytest_django import Settings

from accounts.models import Space, User
from assessor.assessing import Exchange
from assessor.models import Assessment, State
from assessor.outbox.notices import mail_owners
from assessor.outbox.services import queue_assessment
from memory.models import ModelChoice, ModelConnection, Purpose
from tests.memory.writing import NOW, hold

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def with_mail(settings: Settings, alice: User) -> None:
    """A mail server, and an owner with an address."""
    settings.EMAIL_HOST = "mail.example"
    alice.email = "alice@example.org"
    alice.save()


def test_owners_are_told_once_what_began_to_wait(space: Space, other_space: Space) -> None:
    hold(space, "held")
    queue_assessment(space=space, exchange=Exchange("I like pizza"), now=NOW)
    Assessment.objects.update(state=State.FAILED, finished_at=NOW)
    server = ModelConnection.objects.create(
        name="My server", base_url="http://127.0.0.1:9/v1", failure="refused", failing_since=NOW
    )
    ModelChoice.objects.create(purpose=Purpose.CHAT, space=space, connection=server, model="m")

    mail_owners(now=NOW)
    mail_owners(now=NOW + timedelta(hours=1, minutes=1))

    [sent] = mail.outbox
    assert sent.to == ["alice@example.org"]
    assert sent.subject == "Ebb: Home needs attention"
    assert sent.body.splitlines()[:3] == [
        "Connection down: My server", "1 failed assessment", "1 memory waiting for review",
    ]  # fmt: skip
    assert sent.body.endswith("/s/home/overview/")


def test_a_name_of_several_lines_makes_one_subject(space: Space) -> None:
    space.name = "Home\nBcc: all@example.org"
    space.save()
    hold(space, "held")

    mail_owners(now=NOW)

    assert mail.outbox[0].subject == "Ebb: Home Bcc: all@example.org needs attention"


def test_nobody_is_told_without_news_address_or_server(
    space: Space, alice: User, settings: Settings
) -> None:
    mail_owners(now=NOW)
    hold(space, "held")
    User.objects.filter(pk=alice.pk).update(is_active=False)
    mail_owners(now=NOW)
    User.objects.filter(pk=alice.pk).update(is_active=True)
    settings.EMAIL_HOST = ""
    mail_owners(now=NOW)

    assert mail.outbox == []


def test_a_silent_server_is_logged(
    space: Space, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    hold(space, "held")

    mail_owners(now=NOW)

    assert "No mail was sent to the owners of home" in caplog.text
