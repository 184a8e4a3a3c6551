"""Addresses of the page, below /s/<space>/transfer/."""

from django.urls import path

from memory.transfer import views

urlpatterns = [
    path("", views.transfer, name="transfer"),
    path("export/", views.export, name="transfer_export"),
    path("import/", views.begin, name="transfer_import"),
    path("import/<uuid:job_id>/cancel/", views.cancel, name="transfer_cancel"),
    path("import/<uuid:job_id>/resume/", views.resume, name="transfer_resume"),
]
