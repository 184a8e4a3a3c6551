"""The project package: settings, URLs, the supervisor. It imports every app; no app imports it."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
