"""Addresses of what steers a space, below /s/<space>/settings/."""

from django.urls import path

from memory.views import embeddings, keys, settings

urlpatterns = [
    path("", settings.settings, name="settings"),
    path("keys/", keys.keys, name="keys"),
    path("keys/audit/", keys.audit, name="keys_audit"),
    path("keys/create/", keys.create, name="keys_create"),
    path("keys/<uuid:key_id>/rotate/", keys.rotate, name="keys_rotate"),
    path("keys/<uuid:key_id>/revoke/", keys.revoke, name="keys_revoke"),
    path("embeddings/", embeddings.embeddings, name="embeddings"),
    path("embeddings/try/", embeddings.try_model, name="embeddings_try"),
    path("embeddings/begin/", embeddings.begin, name="embeddings_begin"),
    path("embeddings/cancel/", embeddings.cancel, name="embeddings_cancel"),
    path("embeddings/resume/", embeddings.resume, name="embeddings_resume"),
]
