"""Writes `ebb_client/async_client.py` from `ebb_client/client.py`.

Run it after each change of the sync client: `python clients/python/make_async.py`. A test compares.
"""

import re
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parent / "ebb_client"
REPLACED = (
    (r'\A""".*"""', '"""The async client, which make_async.py makes from client.py."""'),
    (r"from ebb_client\.wire import Wire", "from ebb_client.async_wire import AsyncWire, Closing"),
    (r"\bWire\(", "AsyncWire("),
    (r"class Ebb:", "class AsyncEbb(Closing):"),
    (r'-> "Ebb"', '-> "AsyncEbb"'),
    (r"\bIterator\b", "AsyncIterator"),
    (r"list\((self\._pages\(.*\))\)$", r"[one async for one in \1]"),
    (r"self\._wire\.call\(", "await self._wire.call("),
    (r"^( *)yield from (.*)$", r"\1for one in \2:\n\1    yield one"),
)
METHOD = re.compile(r"^    def (?:(?!^    (?:def|@|#)).)*", re.M | re.S)


def async_source(source: str) -> str:
    """Return the code of the async client: methods that wait for an answer become coroutines."""
    for pattern, replacement in REPLACED:
        source = re.sub(pattern, replacement, source, flags=re.M)
    source = METHOD.sub(_coroutine, source)
    formatter = [sys.executable, "-m", "ruff"]
    for command in (["check", "--quiet", "--select", "I", "--fix"], ["format"]):
        ran = subprocess.run(
            [*formatter, *command, "--stdin-filename", str(PACKAGE / "async_client.py"), "-"],
            input=source,
            capture_output=True,
            text=True,
            check=True,
        )
        source = ran.stdout
    return source


def _coroutine(method: re.Match[str]) -> str:
    code = method.group()
    return f"    async {code[4:]}" if re.search(r"\bawait\b|\basync for\b", code) else code


if __name__ == "__main__":
    made = async_source((PACKAGE / "client.py").read_text("utf-8"))
    (PACKAGE / "async_client.py").write_text(made, "utf-8")
