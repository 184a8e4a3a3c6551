"""URLs of the history, below /s/<space>/."""

from django.urls import path

from memory.store import history_views

urlpatterns = [
    path("bin/history/", history_views.history, name="bin_history"),
]
