"""Metrics of all web processes and workers of a host, in files that they share.

This is the multiprocess mode of prometheus_client: each process writes its own files in one folder,
and the process that Prometheus asks adds them up. Other commands do not share their metrics.
"""

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
from django.conf import settings

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
_PROCESS = re.compile(r"_(\d+)\.db$")
_shared: list[Path] = []


def share_metrics() -> None:
    """Write this process's metrics into the folder that all processes of this host share.

    Call this before anything imports prometheus_client, which then looks for its variable.
    """
    folder = settings.EBB_RUN_DIR / "metrics"
    folder.mkdir(parents=True, exist_ok=True)
    os.environ[_VARIABLE] = str(folder)
    _shared.append(folder)


def process_metrics() -> "CollectorRegistry":
    """Return the registry of the host's processes; of this one only, if it shares nothing."""
    from prometheus_client import CollectorRegistry
    from prometheus_client.multiprocess import MultiProcessCollector

    if not _shared:
        from foundation.metrics import registry

        return registry
    summed = CollectorRegistry()
    MultiProcessCollector(summed, str(_shared[-1]))  # type: ignore[no-untyped-call]  # has no types
    return summed


def serve_metrics(port: int) -> None:
    """Answer Prometheus at this port, on a thread of its own."""
    from prometheus_client import start_http_server

    start_http_server(port, addr=settings.EBB_HOST, registry=process_metrics())


def forget_ended_processes() -> None:
    """Remove the files of processes that have ended.

    Their counts would be missing while others continue to count, so this is for a moment when
    Ebb's processes are stopped.
    """
    for file in (settings.EBB_RUN_DIR / "metrics").glob("*.db"):
        process = _PROCESS.search(file.name)
        if process and not psutil.pid_exists(int(process.group(1))):
            with suppress(FileNotFoundError):
                file.unlink()
