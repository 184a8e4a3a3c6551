"""All URLs of Ebb."""

from django.contrib import admin
from django.contrib.auth import views as auth
from django.urls import include, path
from sesame.views import LoginView as LoginLinkView

from chat.views.playground import home
from config.api import api
from config.health import health_parts
from config.metrics import metrics
from config.openai_endpoint import api as openai_api

urlpatterns = [
    path("", home, name="home"),
    path("s/<slug:slug>/", include("chat.urls")),
    path("s/<slug:slug>/", include("memory.urls")),
    path("s/<slug:slug>/overview/health/", health_parts, name="health_parts"),
    path("s/<slug:slug>/assessments/", include("assessor.urls")),
    path("api/v1/", api.urls),
    path("v1/", openai_api.urls),
    path("metrics", metrics, name="metrics"),
    path("admin/", admin.site.urls),
    path("i18n/", include("django.conf.urls.i18n")),
    path("login/", auth.LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("login/link/", LoginLinkView.as_view(), name="login_link"),
    path("logout/", auth.LogoutView.as_view(), name="logout"),
]
