"""URLs of the policy page, below /s/<space>/."""

from django.urls import path

from memory.policies import views

urlpatterns = [
    path("policy/", views.policy, name="policy"),
    path("policy/preview/", views.preview, name="policy_preview"),
    path("policy/compare/", views.compare, name="policy_compare"),
    path("policy/save/", views.save, name="policy_save"),
    path("policy/revert/<int:version>/", views.revert, name="policy_revert"),
]
