"""Addresses of the memory pages, below /s/<space>/memories/."""

from django.urls import path

from memory.views import memories as views

urlpatterns = [
    path("", views.memories, name="memories"),
    path("<uuid:memory_id>/let-go/", views.let_go, name="memory_let_go"),
    path("<uuid:memory_id>/take-back/", views.take_back, name="memory_take_back"),
    path("<uuid:memory_id>/pin/", views.pin, name="memory_pin"),
]
