"""The organisation's identity provider (OpenID Connect): asks it who a person is.

Authlib finds its addresses and keys, and sends state, nonce and PKCE. It checks them and the ID
token's signature when the person returns.
"""

import threading
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from authlib.common.errors import AuthlibBaseError
from authlib.integrations.base_client import MismatchingStateError
from authlib.integrations.django_client import OAuth
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from joserfc.errors import JoseError
from requests import RequestException

from memory.access.identities import Person
from memory.connections import release_connection

TIMEOUT = 10.0  # seconds for each request to the provider

# Requests to a provider that does not answer must not take all threads of the web process.
_AT_ONCE = threading.BoundedSemaphore(2)
_PATIENCE = 5.0  # seconds

# Providers may also announce "none", which means no signature.
_ALGORITHMS = "id_token_signing_alg_values_supported"
_PUBLIC_KEY = ("RS", "PS", "ES", "Ed")


class SignInRefused(Exception):
    """The provider did not vouch for a person; the text says why, for the log."""


class OutdatedSignIn(SignInRefused):
    """The answer does not belong to a sign-in that this browser began, or the sign-in is already
    completed.
    """


class ProviderUnavailable(Exception):
    """The provider does not answer as an OpenID provider; the text says why, for the log."""


def send_to_provider(request: HttpRequest, *, back: str, state: str) -> HttpResponse:
    """Return the redirect to the provider; `back` is the absolute URL of our page for its answer,
    which names the random `state`.

    Raises ProviderUnavailable.
    """
    with _Asking():
        redirect: HttpResponse = _client().authorize_redirect(request, back, state=state)
        return redirect


def person_of(request: HttpRequest) -> Person:
    """Return the person for whom the provider vouches in this request.

    Raises SignInRefused, OutdatedSignIn or ProviderUnavailable.
    """
    with _Asking():
        client = _client()
        issuer = _checked_issuer(client)
        token = client.authorize_access_token(
            request,
            claims_options={
                "iss": {"essential": True, "value": issuer},
                "aud": {"essential": True, "value": settings.EBB_OIDC_CLIENT_ID},
            },
        )
        claims = token.get("userinfo")
        if claims is None:
            raise SignInRefused("The provider sent no ID token.")
        return _person(issuer, _all_claims(client, token, claims))


class _Asking:
    """Limits simultaneous requests to the provider, and turns the libraries' errors into ours."""

    def __enter__(self) -> None:
        release_connection()
        if not _AT_ONCE.acquire(timeout=_PATIENCE):
            raise ProviderUnavailable("Too many sign-ins are waiting for the provider.")

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        _AT_ONCE.release()
        match error:
            case MismatchingStateError():
                raise OutdatedSignIn(str(error)) from None
            case AuthlibBaseError() | JoseError():
                raise SignInRefused(str(error)) from None
            # An answer that is not JSON, or JSON of another shape.
            case RequestException() | ValueError() | KeyError() | TypeError() | RuntimeError():
                raise ProviderUnavailable(f"{type(error).__name__}: {error}") from None


def _client() -> Any:
    return _client_of(
        settings.EBB_OIDC_ISSUER,
        settings.EBB_OIDC_CLIENT_ID,
        settings.EBB_OIDC_CLIENT_SECRET,
        settings.EBB_OIDC_SCOPES,
    )


@lru_cache(maxsize=1)
def _client_of(issuer: str, client_id: str, client_secret: str, scopes: str) -> Any:
    """Return Authlib's client, which remembers the provider's addresses and keys."""
    return OAuth().register(
        "provider",
        client_id=client_id,
        client_secret=client_secret,
        server_metadata_url=issuer.rstrip("/") + "/.well-known/openid-configuration",
        client_kwargs={
            "scope": scopes,
            "code_challenge_method": "S256",
            "default_timeout": TIMEOUT,
            "leeway": 0,  # seconds; some access tokens are valid for a minute only
        },
    )


def _checked_issuer(client: Any) -> str:
    """Return the issuer's name as the provider writes it: with or without a slash at the end. From
    now on the client accepts signatures by public keys only.

    Raises ProviderUnavailable for another issuer than the configured one.
    """
    metadata = client.load_server_metadata()
    announced = metadata.get(_ALGORITHMS) or ["RS256"]
    metadata[_ALGORITHMS] = [one for one in announced if one[:2] in _PUBLIC_KEY]
    issuer = str(metadata["issuer"])
    if issuer.rstrip("/") != settings.EBB_OIDC_ISSUER.rstrip("/"):
        raise ProviderUnavailable(f"The issuer is {issuer}. Set EBB_OIDC_ISSUER to this.")
    return issuer


def _all_claims(client: Any, token: Any, signed: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the claims of the ID token, completed with those that the provider gives at its
    userinfo address only. Raises SignInRefused if those are about another person."""
    if "userinfo_endpoint" not in client.load_server_metadata():
        return signed
    more = client.userinfo(token=token)
    if more.get("sub") != signed["sub"]:
        raise SignInRefused("The userinfo is about another person.")
    return {**more, **signed}


def _person(issuer: str, claims: Mapping[str, Any]) -> Person:
    email = str(claims.get("email") or "")
    groups = claims.get(settings.EBB_OIDC_GROUPS_CLAIM) or []
    named = [groups] if isinstance(groups, str) else groups
    return Person(
        issuer=issuer,
        subject=str(claims["sub"]),
        name=str(claims.get("preferred_username") or email or claims["sub"]),
        email=email,
        groups=frozenset(map(str, named)),
    )
