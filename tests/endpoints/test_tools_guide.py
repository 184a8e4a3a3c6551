"""The loop of docs/tools.md is run as it stands there."""

import json
import os
import re
import subprocess
import sys

import pytest
from django.conf import settings

from memory.models import Memory
from tests.conftest import MakeKey
from tests.processes import Web
from tests.stub_model import StubModel

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]


GUIDE = settings.BASE_DIR / "docs" / "tools.md"


def test_the_loop_of_the_tools_guide(web: Web, stub_model: StubModel, key: MakeKey) -> None:
    [loop] = re.findall(r"^```python\n(.*?)^```", GUIDE.read_text("utf-8"), re.M | re.S)
    stub_model.script(
        'tool:remember:{"content": "User likes pizza"}',
        "tools:" + json.dumps({"calls": [["forget", '{"memory_id": "it"}'], ["nonsense", "{}"]]}),
        "reply:I will remember that you like pizza.",
    )
    variables = {
        "PYTHONPATH": str(settings.BASE_DIR / "clients" / "python"),
        "EBB_URL": web.url,
        "EBB_KEY": key(),
        "OPENAI_API_KEY": "none",
        "OPENAI_BASE_URL": stub_model.base_url,
        "MODEL": "stub",
    }
    ran = subprocess.run(
        [sys.executable, "-c", loop],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.stderr == ""
    memory = Memory.objects.get()
    assert ran.stdout.splitlines() == [
        f"Saved: User likes pizza (id: {memory.short_id}); kept forever",
        "memory_invalid_arguments: memory_id: must be a UUID or a short id",
        "not_found: Unknown tool. Available tools: remember, search_memories, update_memory,"
        " forget, memory_write, memory_read, memory_search.",
        "I will remember that you like pizza.",
    ]
    assert len(stub_model.requests[0].body["tools"]) == 7
