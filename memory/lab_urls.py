"""Addresses of the ranking lab, below /s/<space>/lab/."""

from django.urls import path

from memory.views import lab as views

urlpatterns = [
    path("", views.lab, name="lab"),
    path("figures/", views.figures, name="lab_figures"),
    path("find/", views.find, name="lab_find"),
    path("mark/<uuid:memory_id>/", views.mark, name="lab_mark"),
    path("save/", views.save, name="lab_save"),
    path("drop/", views.drop, name="lab_drop"),
    path("adopt/<slug:profile>/", views.adopt, name="lab_adopt"),
]
