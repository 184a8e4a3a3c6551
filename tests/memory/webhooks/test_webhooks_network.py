"""Addresses of webhooks: never in the own network, and only servers that can prove their name."""

import json
import socket
import ssl
from pathlib import Path
from uuid import uuid4

import pytest
import trustme
from django.utils import timezone
from pytest_django import Settings

from accounts.models import Space
from memory.webhooks import sending
from memory.webhooks.addresses import is_public
from memory.webhooks.sending import Message, send
from memory.webhooks.services import send_test
from memory.webhooks.signing import new_secret
from tests.hostile_endpoint import nonsense
from tests.memory.webhooks.receiver import Receiver, receiving
from tests.memory.webhooks.webhook_rounds import hook, receiver, tell

__all__ = ["receiver"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "0",
        "0.0.0.0",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "127。0。0。1",
        "①②⑦.0.0.1",
    ],
)
def test_nothing_goes_into_the_own_network(
    space: Space, receiver: Receiver, settings: Settings, host: str
) -> None:
    webhook = hook(space, f"http://{host}:{receiver.port}/")
    settings.EBB_WEBHOOKS_PRIVATE = False
    send_test(space=space, webhook_id=webhook.pk, now=timezone.now())

    [row] = tell(webhook)

    assert (row.state, row.status, receiver.got) == ("failed", None, [])
    assert "private network" in row.error


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("10.1.1.1", False), ("169.254.169.254", False), ("100.64.0.1", False),
        ("::ffff:10.0.0.1", False), ("64:ff9b::a00:1", False), ("2002:7f00:1::", False),
        ("fe80::1%eth0", False), ("fc00::1", False), ("224.0.0.1", False),
        ("3fff::1", False), ("192.88.99.1", False), ("::", False), ("::127.0.0.1", False),
        ("::ffff:7f00:1", False), ("::ffff:0:127.0.0.1", False), ("64:ff9b:1::7f00:1", False),
        ("2001:0:7f00:1::", False), ("fec0::1", False), ("5f00::1", False),
        ("::ffff:169.254.169.254", False), ("fd00:ec2::254", False), ("2001:20::1", False),
        ("8.8.8.8", True), ("2606:4700::1111", True), ("64:ff9b::808:808", True),
    ],
)  # fmt: skip
def test_private_addresses_are_known_in_every_spelling(address: str, public: bool) -> None:
    assert is_public(address) is public


@pytest.mark.django_db
def test_name_that_also_leads_to_a_private_address_is_refused(
    space: Space, receiver: Receiver, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(*_: object, **__: object) -> list[tuple[object, ...]]:
        kind = (socket.AF_INET, socket.SOCK_STREAM, 6, "")
        return [(*kind, (address, receiver.port)) for address in ("8.8.8.8", "127.0.0.1")]

    webhook = hook(space, f"http://two-faced.example:{receiver.port}/")
    settings.EBB_WEBHOOKS_PRIVATE = False
    send_test(space=space, webhook_id=webhook.pk, now=timezone.now())
    monkeypatch.setattr(socket, "getaddrinfo", answer)

    [row] = tell(webhook)

    assert (row.state, receiver.got) == ("failed", [])


@pytest.mark.django_db
def test_connection_goes_to_the_address_that_was_checked(
    space: Space, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def answer(host: str, port: int, *_: object, **__: object) -> list[tuple[object, ...]]:
        asked.append(host)
        kind = (socket.AF_INET, socket.SOCK_STREAM, 6, "")
        return [(*kind, ("127.0.0.1", port))]

    webhook = hook(space, f"http://hooks.example:{receiver.port}/in")
    send_test(space=space, webhook_id=webhook.pk, now=timezone.now())
    monkeypatch.setattr(socket, "getaddrinfo", answer)

    [row] = tell(webhook)

    assert row.state == "delivered"
    assert asked.count("hooks.example") == 1
    [(path, headers, body)] = receiver.got
    assert (path, headers["host"]) == ("/in", f"hooks.example:{receiver.port}")
    assert json.loads(body)["type"] == "test"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("vouched_for", "known", "state"),
    [
        ("hooks.example", True, "delivered"),
        ("hooks.example", False, "pending"),
        ("elsewhere.example", True, "pending"),
        ("127.0.0.1", True, "pending"),
    ],
)
def test_certificate_is_checked_by_the_name_and_by_who_vouches_for_it(
    space: Space,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    vouched_for: str,
    known: bool,
    state: str,
) -> None:
    authority, tls = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(vouched_for).configure_cert(tls)
    if known:
        authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    settings.EBB_WEBHOOKS_PRIVATE = True
    with receiving(tls) as receiver:
        webhook = hook(space, f"https://hooks.example:{receiver.port}/in")
        send_test(space=space, webhook_id=webhook.pk, now=timezone.now())
        kind = (socket.AF_INET, socket.SOCK_STREAM, 6, "")
        found = [(*kind, ("127.0.0.1", receiver.port))]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)

        [row] = tell(webhook)

        assert row.state == state
        assert ("certificate verify failed" in row.error.lower()) == (state == "pending"), row.error
        assert [path for path, _, _ in receiver.got] == ["/in"] * (state == "delivered")


@pytest.mark.parametrize("said", [b"", b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nbeginning"])
def test_a_tls_connection_that_turns_into_nonsense_is_a_failed_attempt(
    said: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    authority, tls = trustme.CA(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(tls)
    authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))

    with nonsense(tls, said) as port:
        message = Message(uuid4(), f"https://127.0.0.1:{port}/", new_secret(), {})
        outcome = send(message, now=timezone.now(), private=True)

    assert (outcome.status, outcome.delivered, outcome.permanent) == (None, False, False)
    assert "SSLError" in outcome.error


def test_a_receiver_may_take_the_whole_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "SECONDS", 5.5)  # longer than the library's own limit, 5
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        message = Message(id=uuid4(), url=url, secret=new_secret(), payload={})
        outcome = send(message, now=timezone.now(), private=True)

    assert outcome.error == "No complete response within 6 seconds."
