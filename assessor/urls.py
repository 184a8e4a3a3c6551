"""URLs of the assessment pages, below /s/<space>/assessments/."""

from django.urls import path

from assessor import views

urlpatterns = [
    path("", views.assessments, name="assessments"),
    path("again/", views.again, name="assessments_again"),
    path("figures/", views.figures, name="assessments_figures"),
    path("waiting/", views.waiting, name="assessments_waiting"),
    path("<uuid:assessment_id>/", views.assessment, name="assessment"),
    path("<uuid:assessment_id>/evidence/", views.evidence, name="assessment_evidence"),
    path("<uuid:assessment_id>/retry/", views.retry, name="assessment_retry"),
    path("<uuid:assessment_id>/reassess/", views.reassess, name="assessment_reassess"),
]
