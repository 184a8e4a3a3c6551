"""URLs of the ranking lab, below /s/<space>/."""

from django.urls import path

from memory.lab import views

urlpatterns = [
    path("lab/", views.lab, name="lab"),
    path("lab/figures/", views.figures, name="lab_figures"),
    path("lab/find/", views.find, name="lab_find"),
    path("lab/mark/<uuid:memory_id>/", views.mark, name="lab_mark"),
    path("lab/save/", views.save, name="lab_save"),
    path("lab/drop/", views.drop, name="lab_drop"),
    path("lab/adopt/<slug:profile>/", views.adopt, name="lab_adopt"),
]
