"""All URLs of Ebb."""

from django.contrib import admin
from django.contrib.auth import views as auth
from django.urls import include, path
from django.views.decorators.csrf import csrf_exempt

from accounts.views.invitations import answer_invitation, invitation
from accounts.views.login import urlpatterns as login_pages
from accounts.views.oidc import oidc_callback, oidc_connect, oidc_start
from chat.playground.page import home
from config.api import api
from config.pages.attention import attention
from config.pages.palette import palette, spaces_found
from endpoints.mcp.authorisation import no_oauth, protected_resource
from endpoints.mem0.endpoint import api as mem0_api
from endpoints.openai import api as openai_api
from operations.monitoring.health import health_parts
from operations.monitoring.metrics import metrics

handler500 = "endpoints.errors.server_error"

urlpatterns = [
    path("", home, name="home"),
    path("s/<slug:slug>/", include("chat.urls")),
    path("s/<slug:slug>/", include("accounts.urls")),
    path("s/<slug:slug>/", include("memory.urls")),
    path("s/<slug:slug>/overview/attention/", attention, name="attention"),
    path("s/<slug:slug>/overview/health/", health_parts, name="health_parts"),
    path("s/<slug:slug>/palette/", palette, name="palette"),
    path("s/<slug:slug>/palette/spaces/", spaces_found, name="spaces_found"),
    path("s/<slug:slug>/assessments/", include("assessor.urls")),
    path("api/v1/", api.urls),
    path("v1/", openai_api.urls),
    path("mem0/", mem0_api.urls),
    path(".well-known/oauth-protected-resource", protected_resource),
    path(".well-known/oauth-protected-resource/mcp", protected_resource),
    path(".well-known/oauth-authorization-server", no_oauth),
    path(".well-known/oauth-authorization-server/mcp", no_oauth),
    path(".well-known/openid-configuration", no_oauth),
    path("register", csrf_exempt(no_oauth)),
    path("metrics", metrics, name="metrics"),
    path("admin/", admin.site.urls),
    path("i18n/", include("django.conf.urls.i18n")),
    *login_pages,
    path("login/oidc/", oidc_start, name="oidc_start"),
    path("login/oidc/callback/", oidc_callback, name="oidc_callback"),
    path("login/oidc/connect/", oidc_connect, name="oidc_connect"),
    path("invitation/", invitation, name="invitation"),
    path("invitations/<int:invitation_id>/", answer_invitation, name="invitation_answer"),
    path("logout/", auth.LogoutView.as_view(), name="logout"),
]
