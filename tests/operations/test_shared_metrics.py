"""Files of metrics: those of processes that have ended go, those of others stay."""

import os
import subprocess
import sys
from pathlib import Path

from pytest_django import Settings

from operations.monitoring.shared_metrics import forget_ended_processes


def test_files_of_ended_processes_are_removed(settings: Settings, tmp_path: Path) -> None:
    settings.EBB_RUN_DIR = tmp_path
    forget_ended_processes()  # before the first start
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    folder = tmp_path / "metrics"
    folder.mkdir()
    for process in (ended.pid, os.getpid()):
        for kind in ("counter", "histogram"):
            (folder / f"{kind}_{process}.db").touch()

    forget_ended_processes()

    assert {path.name for path in folder.iterdir()} == {
        f"counter_{os.getpid()}.db",
        f"histogram_{os.getpid()}.db",
    }
