"""Observing several processes: metrics that add up, and a log that can be followed."""

import json
from typing import Any

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families

from accounts.models import Space
from tests.conftest import MakeKey
from tests.processes import Processes, Running, held_port, wait_until
from tests.stub_model import StubModel

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]


def scraped(url: str) -> dict[tuple[str, ...], float]:
    """Each sample by its name and the values of its labels, in the order of their names."""
    text = httpx2.get(f"{url}/metrics", timeout=90).text
    return {
        (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def entries(process: Running) -> list[dict[str, Any]]:
    """The lines of a log that are JSON; Celery's banner is none."""
    lines = process.log.read_text().splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")]


def test_processes_add_up_and_a_request_is_found_in_the_workers_log(
    processes: Processes, key: MakeKey, space: Space, stub_model: StubModel
) -> None:
    model = {"OPENAI_BASE_URL": stub_model.base_url, "EBB_LOG_FORMAT": "json"}
    first, second = processes.web(**model), processes.web(**model)
    call = {"Authorization": f"Bearer {key()}", "X-Request-ID": "call-of-the-test"}
    said = {"user_message": "I am allergic to penicillin", "assistant_response": "Noted."}
    with held_port() as port:
        number = str(port.getsockname()[1])
        worker = processes.worker(**model, EBB_METRICS_PORT=number)
        for web in (first, second, second):
            search = f"{web.url}/api/v1/memories/search"
            httpx2.post(
                search, headers=call, json={"query": "pizza"}, timeout=90
            ).raise_for_status()
        queued = httpx2.post(f"{first.url}/api/v1/assessments", headers=call, json=said, timeout=90)
        finished = ("ebb_assessments_finished_total", "done")
        wait_until(lambda: scraped(second.url).get(finished) == 1, what="the assessment")
        wait_until(
            lambda: ("ebb_tasks_total", "success", "assessor.tasks.assess") in scraped(first.url),
            what="the end of the task",
        )
        seen = [scraped(url) for url in (first.url, second.url, f"http://127.0.0.1:{number}")]

    for samples in seen:
        assert samples["ebb_http_requests_total", "POST", "api/v1/memories/search", "200"] == 3
        assert samples["ebb_model_calls_total", "environment", "answered", "assess"] == 1
        assert samples["ebb_tasks_total", "success", "assessor.tasks.assess"] == 1
        assert samples[("ebb_pool_requests_total",)] > 0
    assert ("ebb_outbox_oldest_seconds",) in seen[0]
    assessment = queued.raise_for_status().json()["id"]
    about = [entry for entry in entries(worker) if entry.get("assessment_id") == assessment]
    assert about
    assert {entry["request_id"] for entry in about} == {"call-of-the-test"}
    searched = [one for one in entries(first) if "memories/search" in one["message"]]
    assert [entry["request_id"] for entry in searched] == ["call-of-the-test"]
