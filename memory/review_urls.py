"""Addresses of the review inbox, below /s/<space>/review/."""

from django.urls import path

from memory.views import review as views

urlpatterns = [
    path("", views.review, name="review"),
    path("alike/", views.decide_alike, name="review_alike"),
    path("rules/<int:rule_id>/drop/", views.drop, name="review_rule_drop"),
    path("reopen/", views.reopen, name="review_reopen"),
    path("<uuid:memory_id>/", views.held, name="review_held"),
    path("<uuid:memory_id>/near/", views.near, name="review_near"),
    path("<uuid:memory_id>/edit/", views.edit, name="review_edit"),
    path("<uuid:memory_id>/approve/", views.approve, name="review_approve"),
    path("<uuid:memory_id>/reject/", views.reject, name="review_reject"),
]
