"""URLs of the page of a space's embedding model, below /s/<space>/."""

from django.urls import path

from memory.embeddings import views

urlpatterns = [
    path("settings/embeddings/", views.embeddings, name="embeddings"),
    path("settings/embeddings/try/", views.try_model, name="embeddings_try"),
    path("settings/embeddings/models/", views.models, name="embeddings_models"),
    path("settings/embeddings/begin/", views.begin, name="embeddings_begin"),
    path("settings/embeddings/cancel/", views.cancel, name="embeddings_cancel"),
    path("settings/embeddings/resume/", views.resume, name="embeddings_resume"),
]
