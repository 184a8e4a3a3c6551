"""Keys of other programs: what a call with one costs, and that its last use is known."""

from datetime import UTC, datetime, timedelta

from pytest_django import DjangoAssertNumQueries

from memory.models import ApiKey, Scope, Space
from memory.services.keys import authenticate, create_key, revoke_key

NOW = datetime(2025, 3, 1, 12, tzinfo=UTC)


def test_use_is_written_at_most_once_a_minute(
    space: Space, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    key, secret = create_key(space=space, scopes=[Scope.READ])

    for seconds, queries, last_used in ((0, 2, 0), (59, 1, 0), (61, 2, 61), (62, 1, 61)):
        with django_assert_num_queries(queries):
            authenticated = authenticate(secret=secret, now=NOW + timedelta(seconds=seconds))
            assert authenticated is not None
            assert authenticated.space.embedder == space.embedder
        assert ApiKey.objects.get(pk=key.pk).last_used_at == NOW + timedelta(seconds=last_used)


def test_unknown_and_revoked_secrets_are_nobody(space: Space) -> None:
    key, secret = create_key(space=space, scopes=[Scope.READ])
    revoke_key(key=key, now=NOW)

    assert authenticate(secret=secret, now=NOW) is None
    assert authenticate(secret="ebb_unknown", now=NOW) is None
    assert ApiKey.objects.get(pk=key.pk).last_used_at is None
