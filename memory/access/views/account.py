"""The account page: set or change one's own password."""

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from memory.access.authentication import Access
from memory.access.pages import PageRequest, space_page
from memory.models import User


@sensitive_post_parameters()
@require_http_methods(["GET", "POST"])
@space_page("read")
def account(request: PageRequest, access: Access) -> HttpResponse:
    """Set the first password of an invited user, or change a password with the old one."""
    user = request.user
    kind = PasswordChangeForm if user.has_usable_password() else SetPasswordForm
    form: SetPasswordForm[User] = kind(user, request.POST if request.method == "POST" else None)
    if form.is_valid():
        form.save()
        update_session_auth_hash(request, user)  # keeps this session, ends the others
        messages.success(request, _("Password saved."))
        return redirect("account", access.space.slug)
    return render(request, "memory/access/account.html", {"form": form})
