"""URLs of the overview, the list of memories and the page of a memory, below /s/<space>/."""

from django.urls import path, re_path

from memory.memories.views import add, bulk, detail, list, overview

urlpatterns = [
    path("overview/", overview.overview, name="overview"),
    path("overview/timeline/", overview.timeline, name="overview_timeline"),
    path("memories/", list.memories, name="memories"),
    path("memories/add/", add.add, name="memory_add"),
    path("memories/add/lifetime/", add.lifetime, name="memory_add_lifetime"),
    path("memories/tags/", list.tags, name="memories_tags"),
    path("memories/change/<slug:action>/", bulk.change, name="memories_change"),
    path("memories/undo/<uuid:action_id>/", bulk.undo, name="memories_undo"),
    path("memories/<uuid:memory_id>/", detail.memory, name="memory"),
    re_path(
        r"^memories/(?P<short_id>[0-9a-f]{6}|[0-9a-f]{8})/$", detail.by_id, name="memory_by_id"
    ),
    path("memories/<uuid:memory_id>/similar/", detail.alike, name="memory_similar"),
    path("memories/<uuid:memory_id>/edit/", detail.edit, name="memory_edit"),
    path("memories/<uuid:memory_id>/do/<slug:action>/", detail.act, name="memory_act"),
    path(
        "memories/<uuid:memory_id>/before/<int:below>/", detail.revisions, name="memory_revisions"
    ),
    path("memories/<uuid:memory_id>/revert/<int:number>/", detail.revert, name="memory_revert"),
    path("memories/<uuid:memory_id>/move-to-bin/", list.move_to_bin, name="memory_move_to_bin"),
    path("memories/<uuid:memory_id>/pin/", list.pin, name="memory_pin"),
]
