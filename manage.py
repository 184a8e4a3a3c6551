#!/usr/bin/env python
"""Django's command line for Ebb, such as `manage.py up` or `manage.py login_link`.

Ebb installed from its wheel has the command `ebb` instead: `ebb up`.
"""

import logging
import os
import signal
import sys
from pathlib import Path

# They work on a folder in which Ebb may not run.
OF_A_FOLDER = {"up", "prepare", "backup", "restore"}


def main() -> None:
    """Run the command from the command line's arguments."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if OF_A_FOLDER.isdisjoint(sys.argv[1:2]):
        _find_running_ebb()
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line
    from django.db import OperationalError
    from psycopg_pool import PoolTimeout

    try:
        _ = settings.INSTALLED_APPS  # reads them
    except (ImproperlyConfigured, ValueError) as error:
        sys.exit(f"A setting is wrong: {error}")
    except OSError as error:
        sys.exit(f"Ebb cannot read {error.filename}: {error.strerror}.")
    # Each attempt of the connection pool would be a warning before the one sentence below.
    logging.getLogger("psycopg.pool").setLevel(logging.ERROR)
    try:
        execute_from_command_line(sys.argv)
    except OperationalError as error:
        if not isinstance(error.__cause__, PoolTimeout):
            raise
        start = (
            "Start `make up` first" if settings.EBB_EMBEDDED_POSTGRES else "Look at DATABASE_URL"
        )
        sys.exit(f"The database does not answer. {start}.")


def _find_running_ebb() -> None:
    """Use the data folder where Ebb runs, unless EBB_DATA_DIR names one."""
    from operations.local_files import noted_data_dir

    home = Path(os.environ.get("EBB_HOME", Path(__file__).parent))
    if "EBB_DATA_DIR" not in os.environ and (running := noted_data_dir(home)):
        os.environ["EBB_DATA_DIR"] = str(running)


def run() -> None:
    """Run a command; Ctrl-C ends it without a traceback."""
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


def ebb() -> None:
    """Run the command `ebb`, with its data in the current folder.

    Installed, Ebb's packages are inside `ebb_memory`, so that their names meet no other package.
    """
    sys.path.insert(0, str(Path(__file__).parent))
    os.environ.setdefault("EBB_HOME", str(Path.cwd()))
    if sys.argv[1:] == ["--version"]:  # Django would print its own
        from operations.version import VERSION

        sys.stdout.write(f"{VERSION}\n")
    else:
        run()


if __name__ == "__main__":
    run()
