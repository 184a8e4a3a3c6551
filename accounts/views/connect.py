"""The page Connect: creates a key and shows the text that each host needs."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from accounts.authentication import Access
from accounts.keys.connecting import HOSTS, PLACEHOLDER, Host
from accounts.keys.services import create_key
from accounts.models import Scope
from accounts.pages import PageRequest, space_page


@require_GET
@space_page("admin")
def connect(request: PageRequest, access: Access) -> HttpResponse:
    """Show the texts for a host, with a placeholder for the key."""
    return _shown(request, _host(request.GET.get("host", "")), secret="")


@require_POST
@space_page("admin")
def create(request: PageRequest, access: Access) -> HttpResponse:
    """Create a key named after the host, and show the text with it once."""
    host = _host(request.POST.get("host", ""))
    _key, secret = create_key(
        space=access.space,
        name=host.title,
        scopes=[Scope.READ, Scope.WRITE],
        actor=access.actor,
        now=timezone.now(),
    )
    return _shown(request, host, secret=secret)


def _host(name: str) -> Host:
    """Return the host with this name, else the first."""
    return next((host for host in HOSTS if host.name == name), HOSTS[0])


def _shown(request: PageRequest, host: Host, *, secret: str) -> HttpResponse:
    url = request.build_absolute_uri("/").rstrip("/")
    text = host.filled(url, secret or PLACEHOLDER)
    context = {"hosts": HOSTS, "host": host, "text": text, "secret": secret}
    template = "accounts/_connect.html" if request.htmx else "accounts/connect.html"
    response = render(request, template, context)
    response["Cache-Control"] = "no-store"  # the page may contain a secret
    return response
