"""The examples of docs/adapters.md, and of the folder `examples`."""

import ast
import asyncio
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1]
PAGE = FOLDER.parents[1] / "docs" / "adapters.md"
_SNIPPET = re.compile(r"^```python\n(.*?)^```$", re.S | re.M)


def run_snippet(test: str, user_id: str | None, **given: Any) -> dict[str, Any]:
    """Run the example of this test's adapter, as this user; return its variables."""
    module = f"from ebb_client.{Path(test).stem.removeprefix('test_')} import"
    [code] = [code for code in _SNIPPET.findall(PAGE.read_text("utf-8")) if module in code]
    assert '"alice"' in code
    code = code.replace('"alice"', repr(user_id))
    variables = dict(given)
    compiled = compile(code, str(PAGE), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    waiting = eval(compiled, variables)
    if waiting is not None:
        asyncio.run(waiting)
    return variables


def chat(example: str, user_id: str | None, *said: str) -> str:
    """Run an example program, which is a chat in the terminal; return its output."""
    ran = subprocess.run(
        [sys.executable, str(FOLDER / "examples" / example), str(user_id)],
        input="\n".join(said),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout
