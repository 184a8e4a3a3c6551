"""Access checks for every page of a space."""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from math import ceil
from typing import Any, Concatenate, ParamSpec

from django.contrib.auth.decorators import login_required
from django.core.exceptions import BadRequest, PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django_htmx.middleware import HtmxDetails

from accounts.authentication import Access, access_of_member
from accounts.models import User
from accounts.sign_in.sessions import note_use
from foundation.errors import Forbidden, InvalidArguments, NotFound, RateLimited
from foundation.readers import EVERYONE

P = ParamSpec("P")


class PageRequest(HttpRequest):
    """A request with the attributes that our middlewares and `space_page` set."""

    htmx: HtmxDetails
    user: User
    access: Access  # for the rail and the templates


View = Callable[Concatenate[PageRequest, Access, P], HttpResponseBase]


def page_access(user: Any, slug: str, scope: str) -> Access:
    """Return a user's access to the page's space: 404 for non-members, 403 without the scope.

    The page shows times in the zone of the user's setting, else the browser's, else the space's.
    """
    try:
        access = access_of_member(user, slug)
        access.require(scope)
        if access.bound_to is None:
            access = replace(access, reader=EVERYONE)
        browser = timezone.get_current_timezone()  # config.middleware.time_zones
        if not user.time_zone and str(browser) != "UTC":
            access = replace(access, zone=browser)
        timezone.activate(access.zone)
    except NotFound:
        raise Http404 from None
    except Forbidden as error:
        raise PermissionDenied(str(error)) from None
    return access


def too_many(request: HttpRequest, error: RateLimited) -> HttpResponse:
    """Return the page of an exceeded rate limit."""
    response = render(request, "429.html", status=429)
    response["Retry-After"] = str(max(1, ceil(error.retry_after)))
    return response


def logged_in(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Return the view for users who are logged in. Others see the login page; a request for a part
    of a page gets 401, or the login page would be drawn inside it."""
    shown = login_required(view)

    @wraps(view)
    def page(request: PageRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.htmx and not request.user.is_authenticated:
            return HttpResponse(status=401)
        return shown(request, *args, **kwargs)

    return page


_REFUSED: dict[type[Exception], type[Exception]] = {
    NotFound: Http404,
    Forbidden: PermissionDenied,
    InvalidArguments: BadRequest,
}


def space_page(scope: str) -> Callable[[View[P]], Callable[..., HttpResponseBase]]:
    """Return a decorator for a view that takes the member's Access in place of the URL's `slug`.

    NotFound becomes 404, Forbidden 403. Invalid arguments that our forms and links
    never send, such as a forged cursor, become 400.
    """

    def decorate(view: View[P]) -> Callable[..., HttpResponseBase]:
        @logged_in
        @wraps(view)
        def page(
            request: PageRequest, slug: str, *args: P.args, **kwargs: P.kwargs
        ) -> HttpResponseBase:
            access = request.access = page_access(request.user, slug, scope)
            note_use(request)
            try:
                response = view(request, access, *args, **kwargs)
            except (NotFound, Forbidden, InvalidArguments) as error:
                raise _REFUSED[type(error)](str(error)) from None
            # Otherwise the Back button could show a cached fragment of the same URL.
            patch_vary_headers(response, ["HX-Request"])
            return response

        return page

    return decorate
