"""URLs of the review inbox, below /s/<space>/."""

from django.urls import path

from memory.review import report_views, views

urlpatterns = [
    path("review/", views.review, name="review"),
    path("memories/<uuid:memory_id>/report/", report_views.report, name="memory_report"),
    path("review/alike/", views.decide_alike, name="review_alike"),
    path("review/reopen/", views.reopen, name="review_reopen"),
    path("review/<uuid:memory_id>/", views.held, name="review_held"),
    path("review/<uuid:memory_id>/near/", views.near, name="review_near"),
    path("review/<uuid:memory_id>/edit/", views.edit, name="review_edit"),
    path("review/<uuid:memory_id>/approve/", views.approve, name="review_approve"),
    path("review/<uuid:memory_id>/reject/", views.reject, name="review_reject"),
]
