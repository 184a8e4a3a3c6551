"""Every address of Ebb."""

from django.contrib import admin
from django.contrib.auth import views as auth
from django.urls import include, path
from sesame.views import LoginView as LoginLinkView

from chat.views.playground import home
from config.api import api
from config.health import health_parts
from config.metrics import metrics
from config.openai_door import door
from memory.views.overview import overview, overview_days

urlpatterns = [
    path("", home, name="home"),
    path("s/<slug:slug>/", include("chat.urls")),
    path("s/<slug:slug>/overview/", overview, name="overview"),
    path("s/<slug:slug>/overview/days/", overview_days, name="overview_days"),
    path("s/<slug:slug>/overview/health/", health_parts, name="health_parts"),
    path("s/<slug:slug>/memories/", include("memory.urls")),
    path("s/<slug:slug>/review/", include("memory.review_urls")),
    path("s/<slug:slug>/lab/", include("memory.lab_urls")),
    path("s/<slug:slug>/policy/", include("memory.policy_urls")),
    path("s/<slug:slug>/", include("memory.departure_urls")),
    path("s/<slug:slug>/settings/", include("memory.settings_urls")),
    path("s/<slug:slug>/assessments/", include("assessor.urls")),
    path("s/<slug:slug>/transfer/", include("memory.transfer.urls")),
    path("api/v1/", api.urls),
    path("v1/", door.urls),
    path("metrics", metrics, name="metrics"),
    path("admin/", admin.site.urls),
    path("i18n/", include("django.conf.urls.i18n")),
    path("login/", auth.LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("login/link/", LoginLinkView.as_view(), name="login_link"),
    path("logout/", auth.LogoutView.as_view(), name="logout"),
]
