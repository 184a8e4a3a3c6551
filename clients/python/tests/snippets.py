"""The examples of docs/frameworks, and of the folder `examples`."""

import ast
import asyncio
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1]
PAGES = FOLDER.parents[1] / "docs" / "frameworks"
_SNIPPET = re.compile(r"^```python\n(.*?)^```$", re.S | re.M)


def run_snippet(test: str, user_id: str | None, **given: Any) -> dict[str, Any]:
    """Run the example of this test's page, as this user; return its variables."""
    name = Path(test).stem.removeprefix("test_").replace("_", "-")
    page = PAGES / f"{name}.md"
    [code] = _SNIPPET.findall(page.read_text("utf-8"))
    assert '"alice"' in code
    code = code.replace('"alice"', repr(user_id))
    variables = dict(given)
    compiled = compile(code, str(page), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
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
