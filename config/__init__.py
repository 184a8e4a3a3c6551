"""The project package: settings, URLs, the supervisor. It imports every app; no app imports it."""

import os

# Before numpy is loaded. The reader's products are small: on a busy machine, two threads wait for
# each other ten times as long as one thread computes.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from config.celery import app as celery_app

__all__ = ["celery_app"]
