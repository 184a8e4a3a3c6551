"""URLs of consolidation, below /s/<space>/."""

from django.urls import path

from memory.consolidation import views

urlpatterns = [
    path("review/consolidation/", views.consolidation, name="consolidation"),
    path("memories/<uuid:memory_id>/links/", views.links, name="consolidation_links"),
    path("review/consolidation/start/", views.start, name="consolidation_start"),
    path("review/consolidation/decide/", views.decide, name="consolidation_decide"),
    path("review/consolidation/effect/", views.effect, name="consolidation_effect"),
    path("review/consolidation/undo/<uuid:action_id>/", views.undo, name="consolidation_undo"),
]
