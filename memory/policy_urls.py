"""Addresses of the page of a space's rules, below /s/<space>/policy/."""

from django.urls import path

from memory.views import policy as views

urlpatterns = [
    path("", views.policy, name="policy"),
    path("preview/", views.preview, name="policy_preview"),
    path("save/", views.save, name="policy_save"),
    path("revert/<int:version>/", views.revert, name="policy_revert"),
]
