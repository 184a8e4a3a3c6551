"""The admin site: unfold's, with the Content-Security-Policy that its pages need."""

from collections.abc import Callable
from typing import Any

from csp.constants import SELF, UNSAFE_EVAL, UNSAFE_INLINE
from csp.decorators import csp_update
from unfold.sites import UnfoldAdminSite


class EbbAdminSite(UnfoldAdminSite):  # type: ignore[misc]  # unfold has no types
    """Allows script evaluation on admin pages only: unfold uses Alpine.js, which evaluates
    expressions.
    """

    def admin_view(self, view: Callable[..., Any], cacheable: bool = False) -> Callable[..., Any]:
        wrapped: Callable[..., Any] = csp_update(
            {"script-src": [SELF, UNSAFE_INLINE, UNSAFE_EVAL], "style-src": [SELF, UNSAFE_INLINE]}
        )(super().admin_view(view, cacheable))
        return wrapped
