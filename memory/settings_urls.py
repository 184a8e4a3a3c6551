"""Addresses of what steers a space, below /s/<space>/settings/."""

from django.urls import path

from memory.views import embeddings

urlpatterns = [
    path("embeddings/", embeddings.embeddings, name="embeddings"),
    path("embeddings/try/", embeddings.try_model, name="embeddings_try"),
    path("embeddings/begin/", embeddings.begin, name="embeddings_begin"),
    path("embeddings/cancel/", embeddings.cancel, name="embeddings_cancel"),
    path("embeddings/resume/", embeddings.resume, name="embeddings_resume"),
]
