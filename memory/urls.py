"""Addresses of all pages of the memory core, below /s/<space>/."""

from django.urls import include, path

FEATURES = (
    "memories", "consolidation", "digest", "review", "lab", "policies", "retention", "store",
    "spaces", "jobs", "webhooks", "embeddings", "transfer",
)  # fmt: skip

urlpatterns = [path("", include(f"memory.{feature}.urls")) for feature in FEATURES]
