"""`ops/`, compose.yaml and the image: they name what exists."""

import json
import re
from collections.abc import Iterator
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import kubernetes_validate
import promql_parser
import pytest
import yaml
from django.conf import settings
from django.urls import resolve
from prometheus_client.core import Metric

from foundation.metrics import registry
from operations.monitoring.metrics import FromDatabase
from tests.packages import PACKAGES

ROOT: Path = settings.BASE_DIR
KUBERNETES = sorted(
    path for path in (ROOT / "ops/kubernetes").glob("*.yaml") if path.stem != "kustomization"
)
_SERIES = re.compile(r"\bebb_\w+")
_SUFFIXES = {
    "counter": ["_total"],
    "histogram": ["_bucket", "_sum", "_count"],
    "gauge": [""],
    "info": ["_info"],
}


def alerts() -> list[dict[str, Any]]:
    [group] = yaml.safe_load((ROOT / "ops/prometheus/alerts.yaml").read_text())["groups"]
    rules: list[dict[str, Any]] = group["rules"]
    return rules


def panels() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((ROOT / "ops/grafana/ebb.json").read_text())["panels"]
    return found


def expressions() -> list[str]:
    """The questions to Prometheus of all alerts and panels."""
    asked = [rule["expr"] for rule in alerts()]
    asked += [target["expr"] for panel in panels() for target in panel["targets"]]
    return [text.replace("$__rate_interval", "5m") for text in asked]


def series() -> set[str]:
    families: list[Metric] = [*registry.collect(), *FromDatabase().collect()]
    return {family.name + suffix for family in families for suffix in _SUFFIXES[family.type]}


def test_the_example_reads_each_web_process_with_a_token() -> None:
    example = yaml.safe_load((ROOT / "ops/prometheus/prometheus.yaml").read_text())
    web, worker = example["scrape_configs"]

    assert (web["authorization"]["type"], web.get("metrics_path", "/metrics")) == (
        "Bearer",
        f"/{resolve('/metrics').route}",
    )
    assert "authorization" not in worker
    assert all((ROOT / "ops/prometheus" / name).exists() for name in example["rule_files"])


@pytest.mark.django_db
def test_alerts_and_dashboard_ask_for_series_that_exist() -> None:
    named = {name for text in expressions() for name in _SERIES.findall(text)}

    assert len(expressions()) > 30
    assert named <= series()
    # Each one that does exist is shown; _sum and _count of timings are for other questions.
    assert {name for name in series() if not re.search(r"_seconds_(sum|count)$", name)} <= named


@pytest.mark.django_db
def test_the_documentation_lists_the_series() -> None:
    page = (ROOT / "docs/observability.md").read_text("utf-8")
    endings = re.compile(r"_(bucket|sum|count)$")

    assert set(re.findall(r"`(ebb_\w+)`", page)) == {endings.sub("", name) for name in series()}


def test_prometheus_can_read_each_question() -> None:
    for text in expressions():
        promql_parser.parse(text)
    with pytest.raises(ValueError, match="unclosed"):
        promql_parser.parse("rate(ebb_tasks_total[5m]")


def test_alerts_say_what_is_wrong() -> None:
    names = [rule["alert"] for rule in alerts()]

    assert len(set(names)) == len(names) > 10
    for rule in alerts():
        assert rule["annotations"]["summary"].endswith("."), rule
        assert rule["labels"]["severity"] in {"critical", "warning", "info"}, rule


def test_panels_have_places_of_their_own() -> None:
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels()]

    assert len(set(places)) == len(places)
    assert len({panel["id"] for panel in panels()}) == len(places)


def test_units_run_the_documented_commands() -> None:
    page = (ROOT / "docs/deployment.md").read_text("utf-8")
    documented = re.findall(r"^\| \w+ \| `\.venv/bin/(\S+ .+?)`", page, re.MULTILINE)
    units = "".join(path.read_text() for path in (ROOT / "ops/systemd").glob("*.service"))
    run = re.findall(r"^ExecStart(?:Pre)?=/opt/ebb/venv/bin/(.+)", units, re.MULTILINE)

    # The wheel's own name for manage.py; and a proxy is on the same machine.
    own = {"python manage.py": "ebb", "0.0.0.0": "127.0.0.1"}
    changed = re.compile("|".join(map(re.escape, own)))
    assert set(run) == {changed.sub(lambda found: own[found[0]], one) for one in documented}
    assert len(run) == 4


def objects() -> Iterator[dict[str, Any]]:
    for path in KUBERNETES:
        yield from yaml.safe_load_all(path.read_text())


def containers() -> Iterator[dict[str, Any]]:
    for thing in objects():
        if thing["kind"] == "Deployment":
            pod = thing["spec"]["template"]["spec"]
            yield from (*pod["initContainers"], *pod["containers"])


@pytest.mark.parametrize("version", ["1.30", "1.34"])
def test_kubernetes_accepts_the_manifests(version: str) -> None:
    for thing in objects():
        kubernetes_validate.validate(thing, version, strict=True)
    broken = next(thing for thing in objects() if thing["kind"] == "Deployment")
    broken["spec"]["replica"] = 2
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(broken, version, strict=True)


def test_kustomization_lists_the_manifests() -> None:
    kustomization = yaml.safe_load((ROOT / "ops/kubernetes/kustomization.yaml").read_text())

    assert sorted(kustomization["resources"]) == [path.name for path in KUBERNETES]
    [image] = kustomization["images"]
    assert {container["image"] for container in containers()} == {image["name"]}


def test_each_container_has_limits_and_probes_that_lead_somewhere() -> None:
    found = list(containers())

    assert [container["name"] for container in found].count("prepare") == 3
    for container in found:
        assert container["resources"]["limits"]["memory"]
        assert container["securityContext"]["allowPrivilegeEscalation"] is False
        if container["name"] != "prepare":
            probe = container["livenessProbe"]
            if "httpGet" in probe:
                resolve(probe["httpGet"]["path"])
                resolve(container["readinessProbe"]["httpGet"]["path"])
            else:
                assert f"/tmp/ebb/{container['name']}.alive" in probe["exec"]["command"][-1]


def test_compose_watches_and_limits_each_process() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]

    for name in ("web", "worker", "beat", "postgres", "redis"):
        assert services[name]["healthcheck"]["test"], name
        assert services[name]["deploy"]["resources"]["limits"]["memory"], name
    for name in ("web", "worker", "beat"):
        # The old processes stop before `prepare`, and the new ones start after it.
        assert services[name]["depends_on"]["prepare"] == {
            "condition": "service_completed_successfully",
            "restart": True,
        }


def test_web_believes_the_proxy_that_names_the_client() -> None:
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]["web"]
    default = compose["environment"]["FORWARDED_ALLOW_IPS"].removesuffix("}").partition(":-")[2]
    [config] = [thing for thing in objects() if thing["kind"] == "ConfigMap"]

    for proxy, allowed in (
        ("172.18.0.1", default),
        ("10.244.0.7", config["data"]["FORWARDED_ALLOW_IPS"]),
    ):
        networks = [ip_network(text) for text in allowed.split(",")]
        assert any(ip_address(proxy) in network for network in networks)
        assert not any(ip_address("198.51.100.9") in network for network in networks)


def test_the_image_has_what_ebb_reads_and_nothing_else() -> None:
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    kept = {line[1:] for line in lines if line.startswith("!")}
    dockerfile = (ROOT / "Dockerfile").read_text()

    assert "*" in lines
    assert {*PACKAGES, "locale", "static", "templates"} < kept
    assert kept <= {path.name for path in ROOT.iterdir()}
    copied = re.findall(r"requirements\S*\.txt", dockerfile)
    assert set(copied) <= kept
    assert "EBB_RUN_DIR=/tmp/ebb " in dockerfile


def test_images_name_a_version() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    bases = re.findall(r"^ARG \w+=(\S+)", (ROOT / "Dockerfile").read_text(), re.M)
    images = [*bases, services["postgres"]["image"], services["redis"]["image"]]

    assert len(images) == 3
    assert [image for image in images if not re.search(r":\d+\.\d+", image)] == []
