"""The settings of processes that reach their limits with little work."""

from config import settings
from config.settings import *  # noqa: F403 - all settings but the two below

CELERY_WORKER_CONCURRENCY = 8
EBB_RATES = settings.EBB_RATES | {"export": 3}
