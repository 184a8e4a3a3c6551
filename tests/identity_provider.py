"""Identity providers for tests: a real one, and one that forges.

The real one is `oidc-provider-mock`, a whole OpenID provider with a page of its own, in a process
of its own. The forging one answers the same requests with ID tokens that are wrong in one way.
"""

import base64
import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import quote, urlsplit

import httpx2
import pytest
from django.test import Client
from joserfc import jwt
from joserfc.jwk import RSAKey

from tests.conftest import Answer
from tests.processes import held_port, wait_until

CLIENT = "ebb"
CALLBACK = "/login/oidc/callback/"
CONFIRM = "/account/confirm/"


# --- The real one -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Provider:
    """A running provider at `url`."""

    url: str

    def knows(self, subject: str, **claims: Any) -> None:
        """Lets the provider know a person, or changes what it knows of them."""
        httpx2.put(f"{self.url}/users/{quote(subject)}", json=claims, timeout=90).raise_for_status()

    def confirms(self, where: str, subject: str) -> str:
        """Lets the person confirm at the provider's page; returns the address it leads to."""
        answer = httpx2.post(where, data={"sub": subject}, timeout=90)
        assert answer.status_code == 302, answer.text
        return answer.headers["Location"]


@pytest.fixture(scope="session")
def provider(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Provider]:
    """The real provider, for the whole run."""
    with held_port() as port:
        number = port.getsockname()[1]
        log = (tmp_path_factory.mktemp("provider") / "log").open("w")
        command = [sys.executable, "-m", "oidc_provider_mock", "--port", str(number)]
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        found = Provider(f"http://localhost:{number}")
        wait_until(lambda: _answers(found), what="the start of the identity provider")
        yield found
        process.terminate()
        process.wait()
        log.close()


def _answers(provider: Provider) -> bool:
    try:
        return httpx2.get(f"{provider.url}/.well-known/openid-configuration", timeout=90).is_success
    except httpx2.TransportError:
        return False


# --- The forging one --------------------------------------------------------------------------


@dataclass
class Forger:
    """Answers as a provider would; each attribute is something to forge."""

    url: str = ""
    issuer: str = ""
    nonce: str = ""
    claims: dict[str, Any] = field(default_factory=dict)
    userinfo: dict[str, Any] = field(default_factory=dict)
    published: RSAKey = field(default_factory=lambda: _key("one"))
    signs_with: RSAKey | None = None
    is_signed: bool = True
    algorithms: list[str] = field(default_factory=lambda: ["RS256"])
    sends_id_token: bool = True
    status: int = 200
    requests: list[str] = field(default_factory=list)

    def answer(self, path: str) -> object:
        """The JSON for a path."""
        self.requests.append(path)
        if path == "/jwks":
            return {"keys": [self.published.as_dict(private=False)]}
        if path == "/userinfo":
            return {"sub": "p-1", **self.userinfo}
        if path == "/token":
            token = {"access_token": "a", "token_type": "Bearer", "expires_in": 60}
            return token | ({"id_token": self.id_token()} if self.sends_id_token else {})
        return {
            "issuer": self.issuer or self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "userinfo_endpoint": f"{self.url}/userinfo",
            "jwks_uri": f"{self.url}/jwks",
            "id_token_signing_alg_values_supported": self.algorithms,
        }

    def id_token(self) -> str:
        """The ID token, as it is asked to be."""
        now = int(time.time())
        claims = {
            "iss": self.url, "aud": CLIENT, "sub": "p-1",
            "iat": now, "exp": now + 60, "preferred_username": "dana", "nonce": self.nonce,
        } | self.claims  # fmt: skip
        if not self.is_signed:
            parts = ({"alg": "none"}, claims)
            return ".".join(_encoded(json.dumps(part)) for part in parts) + "."
        key = self.signs_with or self.published
        return jwt.encode({"alg": "RS256", "kid": "one"}, claims, key)


@pytest.fixture
def forger() -> Iterator[Forger]:
    """A provider that can forge, for one test."""
    found = Forger()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(found))
    found.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield found
    server.shutdown()
    thread.join()
    server.server_close()


def another_key() -> RSAKey:
    """A key of the same name that the provider did not publish."""
    return _key("one")


def _handler(forger: Forger) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # noqa: N802 - the library's name
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            body = json.dumps(forger.answer(urlsplit(self.path).path)).encode()
            self.send_response(forger.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815 - the library's name

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
            """Says nothing."""

    return Handler


def _key(name: str) -> RSAKey:
    return RSAKey.generate_key(2048, {"kid": name})


def _encoded(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


# --- A browser --------------------------------------------------------------------------------


def start(client: Client, **query: str) -> str:
    """Begins a sign-in; returns the address at the provider."""
    answer = client.get("/login/oidc/", query)
    assert answer.status_code == 302, answer.text
    return answer.headers["Location"]


def start_connecting(client: Client) -> str:
    """Begins to connect the account of the logged-in user; returns the address at the provider."""
    answer = client.post("/login/oidc/connect/")
    assert answer.status_code == 302, answer.text
    return answer.headers["Location"]


def come_back(client: Client, address: str) -> Answer:
    """Opens the address to which the provider sent the browser."""
    parts = urlsplit(address)
    assert parts.path == CALLBACK
    return client.get(f"{parts.path}?{parts.query}")


def sign_in(client: Client, provider: Provider, subject: str, **query: str) -> Answer:
    """A whole sign-in at the real provider."""
    return come_back(client, provider.confirms(start(client, **query), subject))


def connect(client: Client, provider: Provider, subject: str, **proof: str) -> Answer:
    """Connects the account of the logged-in user at the real provider, with a password or code."""
    answer = come_back(client, provider.confirms(start_connecting(client), subject))
    asked = answer.headers["Location"]
    assert asked == (f"{CONFIRM}code/" if "code" in proof else CONFIRM)
    return client.post(asked, proof)


def parameter(address: str, name: str) -> str:
    """One parameter of an address."""
    [value] = re.findall(rf"[?&]{name}=([^&]+)", address)
    return str(value)
