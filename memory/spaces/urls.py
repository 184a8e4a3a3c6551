"""URLs of the spaces page, below /s/<space>/."""

from django.urls import path

from memory.spaces import views

urlpatterns = [
    path("settings/spaces/", views.spaces, name="spaces"),
    path("settings/spaces/create/", views.create, name="spaces_create"),
    path("settings/spaces/change/", views.change, name="spaces_change"),
    path("settings/spaces/delete/", views.delete, name="spaces_delete"),
    path("settings/spaces/leaving/", views.leaving, name="spaces_leaving"),
    path("settings/spaces/bring-back/", views.bring_back, name="spaces_bring_back"),
]
