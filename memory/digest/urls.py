"""URLs of the digest, below /s/<space>/."""

from django.urls import path

from memory.digest import views

urlpatterns = [
    path("digest/", views.digest, name="digest"),
    path("digest/<str:line_id>/undo/", views.undo, name="digest_undo"),
]
