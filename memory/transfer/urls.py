"""URLs of the export and import page, below /s/<space>/."""

from django.urls import path

from memory.transfer import views

urlpatterns = [
    path("transfer/", views.transfer, name="transfer"),
    path("transfer/export/", views.export, name="transfer_export"),
    path("transfer/import/", views.begin, name="transfer_import"),
    path("transfer/import/<uuid:job_id>/confirm/", views.confirm, name="transfer_confirm"),
    path("transfer/import/<uuid:job_id>/cancel/", views.cancel, name="transfer_cancel"),
    path("transfer/import/<uuid:job_id>/resume/", views.resume, name="transfer_resume"),
]
