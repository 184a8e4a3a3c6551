"""Behind a proxy that speaks TLS: http leads to https, except for probes."""

import pytest
from django.test import Client
from pytest_django import Settings

pytestmark = pytest.mark.django_db
THROUGH_TLS = {"X-Forwarded-Proto": "https"}


@pytest.fixture
def browser(settings: Settings) -> Client:
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.SECURE_HSTS_SECONDS = 60
    return Client()


@pytest.mark.parametrize("path", ["/login/", "/s/demo/", "/admin/"])
def test_http_leads_to_https(browser: Client, path: str) -> None:
    answer = browser.get(path)

    assert (answer.status_code, answer["Location"]) == (301, f"https://testserver{path}")
    through = browser.get(path, headers=THROUGH_TLS)
    assert through.status_code != 301
    assert through["Strict-Transport-Security"] == "max-age=60"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/v1/health/live", 200),
        ("/metrics", 200),
        ("/api/v1/memories", 401),
        ("/v1/models", 401),
    ],
)
def test_programs_need_no_https(browser: Client, path: str, status: int) -> None:
    assert browser.get(path).status_code == status
