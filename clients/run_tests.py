"""Runs the tests of the clients against a running Ebb: `make adapters`.

`manage.py up` runs with an empty database in a temporary folder. The tests get its address and a
key as EBB_URL and EBB_KEY.
"""

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build"
TESTS = ROOT / "clients" / "python" / "tests"
MANAGE = [sys.executable, "manage.py"]
STARTING = 300.0  # seconds


@contextmanager
def running_ebb(folder: Path) -> Iterator[dict[str, str]]:
    """Run an Ebb; yield the variables by which a client finds it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    variables = {"EBB_DATA_DIR": str(folder), "EBB_PORT": str(port), "EBB_DEMO_DATA": "0"}
    variables |= {"OPENAI_API_KEY": "", "OPENAI_BASE_URL": ""}  # no model of the person
    environment = os.environ | variables
    log = folder / "up.log"
    with log.open("wb") as output:
        ebb = subprocess.Popen(
            [*MANAGE, "up"], cwd=ROOT, env=environment, stdout=output, stderr=output
        )
        try:
            _wait_for(ebb, log)
            key = _key(environment)
            no_learn = _key(environment, "--no-learn")
            url = f"http://127.0.0.1:{port}"
            # The examples use Ebb as their model too, with a key that never teaches.
            model = {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": no_learn, "MODEL": "ebb"}
            crewai = {"CREWAI_TESTING": "true", "CREWAI_DISABLE_TELEMETRY": "true"}
            mem0 = {"EBB_ADMIN_KEY": _key(environment, scopes="read,write,admin")}
            mem0 |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder / "mem0")}
            yield {"EBB_URL": url, "EBB_KEY": key, **model, **crewai, **mem0}
        finally:
            ebb.terminate()
            ebb.wait()


def _key(environment: dict[str, str], *options: str, scopes: str = "read,write") -> str:
    command = [*MANAGE, "create_api_key", "--space", "demo", "--create-space"]
    command += ["--scopes", scopes, *options]
    return subprocess.check_output(command, cwd=ROOT, env=environment, text=True).strip()


def _wait_for(ebb: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + STARTING
    while b"Ebb is ready" not in log.read_bytes():
        if ebb.poll() is not None or time.monotonic() > deadline:
            sys.exit(f"Ebb did not start:\n{log.read_text()[-2000:]}")
        time.sleep(0.2)


def main(*arguments: str) -> int:
    """Run the tests of the Python adapters and those of the copy of the TypeScript client, in the
    environments of `build`. Return 0 if all pass."""
    of_crewai, of_mem0 = str(TESTS / "test_crewai.py"), str(TESTS / "test_mem0.py")
    with tempfile.TemporaryDirectory() as folder, running_ebb(Path(folder)) as variables:
        environment = os.environ | variables
        failed = 0
        for name, chosen in (
            ("adapters", [str(TESTS), "--ignore", of_crewai, "--ignore", of_mem0]),
            ("crewai", [of_crewai]),
            ("mem0", [of_mem0]),
        ):
            pytest = [str(BUILD / name / "bin" / "python"), "-m", "pytest"]
            pytest += ["--rootdir", str(TESTS.parent), *chosen, *arguments]
            failed |= subprocess.run(pytest, cwd=ROOT, env=environment).returncode
        typescript = BUILD / "typescript"
        failed |= subprocess.run(["npm", "test"], cwd=typescript, env=environment).returncode
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
