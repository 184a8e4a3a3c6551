"""URLs of webhooks, below /s/<space>/."""

from django.urls import path

from memory.webhooks import views

urlpatterns = [
    path("settings/webhooks/", views.webhooks, name="webhooks"),
    path("settings/webhooks/create/", views.create, name="webhooks_create"),
    path("settings/webhooks/<uuid:webhook_id>/", views.webhook, name="webhook"),
    path("settings/webhooks/<uuid:webhook_id>/test/", views.test, name="webhooks_test"),
    path("settings/webhooks/<uuid:webhook_id>/switch/", views.switch, name="webhooks_switch"),
    path("settings/webhooks/<uuid:webhook_id>/rotate/", views.rotate, name="webhooks_rotate"),
    path("settings/webhooks/<uuid:webhook_id>/delete/", views.delete, name="webhooks_delete"),
    path(
        "settings/webhooks/<uuid:webhook_id>/redeliver/<uuid:delivery_id>/",
        views.redeliver,
        name="webhooks_redeliver",
    ),
]
