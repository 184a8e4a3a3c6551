"""The second factor: each code once, few wrong ones, recovery codes, and the way back."""

from datetime import datetime, timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django import Settings

from memory.access.failures import MOST_PER_ACCOUNT, TooManyFailures
from memory.access.second_factor import (
    RECOVERY_CODES,
    new_secret,
    renew_recovery_codes,
    setup_address,
    spend_code,
    turn_off,
    turn_on,
)
from memory.errors import Conflict, InvalidArguments
from memory.models import InstallationAuditEntry, SecondFactor, User
from tests.authenticator import app_code
from tests.memory.writing import ALICE, NOW

HOME = "192.0.2.1"
LATER = NOW + timedelta(minutes=5)


@pytest.fixture
def secret() -> str:
    return new_secret()


@pytest.fixture
def codes(alice: User, secret: str) -> list[str]:
    """The recovery codes of alice, who has turned her second factor on."""
    return turn_on(address=HOME, user=alice, secret=secret, code=app_code(secret, NOW), now=NOW)


def test_the_app_of_the_standard_is_understood(alice: User) -> None:
    # RFC 6238, appendix B: the last six digits at 59 and at 1111111109 seconds.
    secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
    first = datetime.fromtimestamp(59, tz=timezone.get_current_timezone())
    turn_on(address=HOME, user=alice, secret=secret, code="287082", now=first)

    much_later = datetime.fromtimestamp(1111111109, tz=timezone.get_current_timezone())
    assert spend_code(address=HOME, user=alice, code="081804", now=much_later)
    assert setup_address(secret, alice).startswith("otpauth://totp/Ebb:alice?")
    assert secret in setup_address(secret, alice)


def test_it_is_turned_on_with_a_code_of_the_app_only(alice: User, secret: str) -> None:
    for wrong in ("", "000000", "abc", app_code(new_secret(), NOW), app_code(secret, LATER)):
        with pytest.raises(InvalidArguments):
            turn_on(address=HOME, user=alice, secret=secret, code=wrong, now=NOW)
    assert not SecondFactor.objects.exists()

    codes = turn_on(address=HOME, user=alice, secret=secret, code=app_code(secret, NOW), now=NOW)
    assert len(set(codes)) == RECOVERY_CODES
    stored = SecondFactor.objects.get()
    assert secret not in stored.sealed_secret
    assert not set(codes) & set(stored.recovery_digests)
    with pytest.raises(Conflict):
        turn_on(address=HOME, user=alice, secret=secret, code=app_code(secret, NOW), now=NOW)


def test_a_code_works_once_and_for_a_short_time(alice: User, secret: str, codes: list[str]) -> None:
    assert not spend_code(address=HOME, user=alice, code=app_code(secret, NOW), now=NOW)
    shown = app_code(secret, LATER)
    assert spend_code(address=HOME, user=alice, code=f"{shown[:3]} {shown[3:]}", now=LATER)
    assert not spend_code(address=HOME, user=alice, code=shown, now=LATER)
    assert not spend_code(address=HOME, user=alice, code=app_code(secret, NOW), now=LATER)
    # A clock may differ by half a minute, not by two.
    then = LATER + timedelta(minutes=10)
    assert not spend_code(
        address=HOME, user=alice, code=app_code(secret, then), now=then + timedelta(minutes=2)
    )
    assert spend_code(
        address=HOME, user=alice, code=app_code(secret, then), now=then + timedelta(seconds=30)
    )


def test_a_recovery_code_works_once(alice: User, codes: list[str]) -> None:
    assert spend_code(address=HOME, user=alice, code=codes[0].upper().replace("-", " "), now=LATER)
    assert not spend_code(address=HOME, user=alice, code=codes[0], now=LATER)
    assert spend_code(address=HOME, user=alice, code=codes[1], now=LATER)

    renewed = renew_recovery_codes(user=alice)
    assert not spend_code(address=HOME, user=alice, code=codes[2], now=LATER)
    assert spend_code(address=HOME, user=alice, code=renewed[2], now=LATER)


def test_codes_cannot_be_guessed(alice: User, secret: str, codes: list[str], bob: User) -> None:
    for _ in range(MOST_PER_ACCOUNT):
        assert not spend_code(address=HOME, user=alice, code="000000", now=LATER)
    for right in (app_code(secret, LATER), codes[0]):
        with pytest.raises(TooManyFailures):
            spend_code(address=HOME, user=alice, code=right, now=LATER)
    assert not spend_code(address=HOME, user=bob, code=app_code(secret, LATER), now=LATER)


def test_an_operator_turns_it_off(alice: User, codes: list[str]) -> None:
    said = StringIO()
    call_command("reset_second_factor", "alice", stdout=said)

    assert "is off" in said.getvalue()
    assert not spend_code(address=HOME, user=alice, code=codes[0], now=LATER)
    for name, complaint in (("alice", "has no second factor"), ("nobody", "no user named")):
        with pytest.raises(CommandError, match=complaint):
            call_command("reset_second_factor", name)


def test_turning_it_on_and_off_is_recorded(alice: User, codes: list[str]) -> None:
    assert turn_off(user=alice, actor=ALICE, now=LATER)
    assert not turn_off(user=alice, actor=ALICE, now=LATER)

    told = InstallationAuditEntry.objects.order_by("pk").values_list("action", "subject", "at")
    assert list(told) == [("factor.on", "alice", NOW), ("factor.off", "alice", LATER)]


def test_secrets_survive_a_change_of_the_secret_key(
    alice: User, secret: str, codes: list[str], settings: Settings
) -> None:
    before = settings.SECRET_KEY
    settings.SECRET_KEY = "a new secret key of this installation"
    assert not spend_code(address=HOME, user=alice, code=app_code(secret, LATER), now=LATER)
    assert spend_code(address=HOME, user=alice, code=codes[0], now=LATER)
    with pytest.raises(CommandError, match="alice"):
        call_command("reseal_keys", stdout=StringIO())

    settings.SECRET_KEY_FALLBACKS = [before]
    call_command("reseal_keys", stdout=StringIO())
    settings.SECRET_KEY_FALLBACKS = []
    assert spend_code(address=HOME, user=alice, code=app_code(secret, LATER), now=LATER)
