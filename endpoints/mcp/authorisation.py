"""Addresses where MCP clients look for a way to log in. Ebb has API keys only, and says so.

See the MCP specification, Authorization, and RFC 9728.
"""

from django.http import HttpRequest, HttpResponse, JsonResponse

from accounts.models import Scope

METADATA = "/.well-known/oauth-protected-resource"
_ADVICE = "Ebb has no OAuth. Send an API key of your space: “Authorization: Bearer KEY”."


def challenge(request: HttpRequest) -> str:
    """Return the `WWW-Authenticate` header of an answer with status 401."""
    return f'Bearer resource_metadata="{request.build_absolute_uri(METADATA)}"'


def protected_resource(request: HttpRequest) -> HttpResponse:
    """Describe `/mcp` as a resource that takes a bearer token in the header."""
    described = {
        "resource": request.build_absolute_uri("/mcp"),
        "resource_name": "Ebb",
        "bearer_methods_supported": ["header"],
        "scopes_supported": Scope.values,
        "ebb_advice": _ADVICE,
    }
    return JsonResponse(described)


def no_oauth(request: HttpRequest) -> HttpResponse:
    """Answer requests for an authorisation server, and for the registration of a client."""
    error = {"error": "unsupported_operation", "error_description": _ADVICE}
    return JsonResponse(error, status=404)
