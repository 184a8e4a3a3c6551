"""URLs of the page of a job, below /s/<space>/."""

from django.urls import path

from memory.jobs import views

urlpatterns = [
    path("settings/jobs/<uuid:job_id>/", views.job, name="job"),
    path("settings/jobs/<uuid:job_id>/cancel/", views.cancel, name="job_cancel"),
    path("settings/jobs/<uuid:job_id>/resume/", views.resume, name="job_resume"),
]
