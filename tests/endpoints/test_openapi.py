"""The running API against its own OpenAPI document, by Schemathesis with all its checks."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from accounts.models import Space
from tests.conftest import MakeKey
from tests.processes import Web

pytestmark = [
    pytest.mark.stack,
    pytest.mark.long,
    pytest.mark.timeout(1200),
    pytest.mark.django_db(transaction=True),
]

EXAMPLES = 15  # of each call, beside those at the edges of each schema
SEED = 7


def test_the_api_is_what_its_document_says(web: Web, key: MakeKey, space: Space) -> None:
    ran = subprocess.run(
        [
            *(Path(sys.executable).with_name("schemathesis"), "run"),
            f"{web.url}/api/v1/openapi.json",
            *("--max-examples", str(EXAMPLES), "--seed", str(SEED)),
            *("--continue-on-failure", "--no-color"),
        ],
        env=os.environ | {"EBB_KEY": key()},
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
    )

    assert ran.returncode == 0, ran.stdout[-200_000:]
