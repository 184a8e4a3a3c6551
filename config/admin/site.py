"""The admin site: unfold's, with the Content-Security-Policy that its pages need, behind Ebb's own
login page.
"""

from collections.abc import Callable
from typing import Any

from csp.constants import SELF, UNSAFE_EVAL, UNSAFE_INLINE
from csp.decorators import csp_update
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from unfold.sites import UnfoldAdminSite

from accounts import roles

# The lists that a moderator opens most; the others follow by name.
APPS = ("accounts", "memory", "assessor", "chat", "auth")
LISTS = ("Memory", "Space", "User", "MemoryEvent")


class EbbAdminSite(UnfoldAdminSite):
    """Allows script evaluation on admin pages only: unfold uses Alpine.js, which evaluates
    expressions.
    """

    def has_permission(self, request: HttpRequest) -> bool:
        """Return True for operators and moderators."""
        return roles.may_open_admin(request.user)

    def admin_view(self, view: Callable[..., Any], cacheable: bool = False) -> Callable[..., Any]:
        """Allow the admin's pages the inline scripts and styles that Unfold uses."""
        wrapped: Callable[..., Any] = csp_update(
            {"script-src": [SELF, UNSAFE_INLINE, UNSAFE_EVAL], "style-src": [SELF, UNSAFE_INLINE]}
        )(super().admin_view(view, cacheable))
        return wrapped

    def get_urls(self) -> list[Any]:
        """Return the admin's URLs without Django's redirect to a row's own page: no row has one,
        and it fails for ids that are none."""
        return [url for url in super().get_urls() if getattr(url, "name", "") != "view_on_site"]

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """Return the apps and their lists, the most used first."""
        apps: list[Any] = super().get_app_list(request, app_label)
        for app in apps:
            app["models"].sort(key=lambda one: _place(one["object_name"], LISTS))
        return sorted(apps, key=lambda app: _place(app["app_label"], APPS))

    def password_change(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Redirect to Ebb's page for a new password."""
        return redirect("account_change_password")

    def login(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """Redirect to Ebb's login page, which knows second factors and the identity provider.

        Raises PermissionDenied for a user who may not open the admin.
        """
        index = reverse("admin:index")
        if self.has_permission(request):
            return redirect(index)
        if request.user.is_authenticated:
            raise PermissionDenied
        return redirect_to_login(request.GET.get("next") or index)


def _place(name: str, first: tuple[str, ...]) -> int:
    """Return the place of a name in the list, or the place after its end."""
    return first.index(name) if name in first else len(first)
