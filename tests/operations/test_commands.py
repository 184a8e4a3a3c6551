"""The command line where no Ebb runs."""

import os
import subprocess
import sys
from pathlib import Path

from django.conf import settings

COMMAND = """
import sys
from django.conf import settings
import manage
settings.DATABASES["default"]["OPTIONS"]["pool"]["timeout"] = 2
sys.argv = ["manage.py", "create_api_key", "--space", "demo", "--scopes", "read"]
manage.main()
"""


def test_a_command_without_a_server_says_one_sentence(tmp_path: Path) -> None:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    ran = subprocess.run(
        [sys.executable, "-c", COMMAND],
        cwd=settings.BASE_DIR,
        env=kept | {"EBB_HOME": str(tmp_path), "DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr == "The database does not answer. Start `make up` first.\n"
