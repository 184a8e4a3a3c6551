"""Addresses of the memory pages, below /s/<space>/memories/."""

from django.urls import path

from memory.views import bulk, memory
from memory.views import memories as views

urlpatterns = [
    path("", views.memories, name="memories"),
    path("tags/", views.tags, name="memories_tags"),
    path("change/<slug:action>/", bulk.change, name="memories_change"),
    path("undo/<slug:action>/", bulk.undo, name="memories_undo"),
    path("<uuid:memory_id>/", memory.memory, name="memory"),
    path("<uuid:memory_id>/similar/", memory.alike, name="memory_similar"),
    path("<uuid:memory_id>/edit/", memory.edit, name="memory_edit"),
    path("<uuid:memory_id>/do/<slug:action>/", memory.act, name="memory_act"),
    path("<uuid:memory_id>/before/<int:below>/", memory.revisions, name="memory_revisions"),
    path("<uuid:memory_id>/revert/<int:number>/", memory.revert, name="memory_revert"),
    path("<uuid:memory_id>/let-go/", views.let_go, name="memory_let_go"),
    path("<uuid:memory_id>/pin/", views.pin, name="memory_pin"),
]
