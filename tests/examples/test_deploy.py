"""The deployment examples and the chart: their commands exist, nothing runs as root, secrets are only referred to."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import kubernetes_validate
import pytest
import yaml

from scanner_cli.main import cli

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "examples/deploy"
CHART = ROOT / "charts/scanner"

REQUIRED = ("image.repository=registry.example/scanner", "token.secret=secret-token")
POSTGRESQL = ("dictionary.postgresql.secret=secret-database", "environment.secrets={secret-kafka}")
OPERATOR = ("serviceMonitor.enabled=true", "alerts.enabled=true", "dashboard.enabled=true")

Render = Callable[..., subprocess.CompletedProcess[str]]


def compose() -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    return document["services"]  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def render() -> Render:
    """Return a function that renders the chart with values; `cluster` is that of the bundled example."""
    helm = shutil.which("helm", path=f"{ROOT / 'build/tooling/bin'}{os.pathsep}{os.environ['PATH']}")
    if not helm:
        pytest.skip("helm is not installed: `make lint-deploy` builds it with Go")

    def run(*values: str, cluster: str = "examples/retail/cluster.json") -> subprocess.CompletedProcess[str]:
        options = [part for value in values for part in ("--set", value)]
        options += ["--set-file", f"cluster={cluster}"] if cluster else []
        command = [helm, "template", "--kube-version", "1.31.0", "shop", str(CHART), *options]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    return run


def manifests(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    assert done.returncode == 0, done.stderr
    return [document for document in yaml.safe_load_all(done.stdout) if document]


def pods(documents: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the specification of the pods of each workload."""
    for document in documents:
        spec = document.get("spec", {})
        template = spec.get("jobTemplate", {}).get("spec", spec).get("template", {})
        if "spec" in template:
            yield template["spec"]


def check_options(arguments: list[str]) -> None:
    """Raise AssertionError if the command of *arguments*, or one of its options, does not exist."""
    with click.Context(cli) as context:
        command = cli.get_command(context, arguments[0])
        assert command is not None
        known = {name for parameter in command.params for name in parameter.opts}

    assert {option.partition("=")[0] for option in arguments if option.startswith("--")} <= known


def test_the_compose_file_starts_a_command_that_exists() -> None:
    """An example that does not start is worse than none."""
    check_options(compose()["scanner"]["command"])


def test_the_services_cannot_write_elsewhere() -> None:
    services = compose()

    assert services["scanner"]["cap_drop"] == ["ALL"]
    assert {name: service["read_only"] for name, service in services.items()} == {"scanner": True, "postgres": True}
    assert all(service["security_opt"] == ["no-new-privileges:true"] for service in services.values())


def test_the_compose_file_has_no_password_and_starts_without_none() -> None:
    """A default password is one that everybody knows."""
    environments = [service["environment"] for service in compose().values()]
    secrets = [text for each in environments for name, text in each.items() if "PASSWORD" in text or "TOKEN" in name]

    assert len(secrets) == 3
    assert all(re.search(r"\$\{\w+:\?", text) for text in secrets)


def test_the_images_install_extras_that_exist_and_are_not_root() -> None:
    """A misspelt extra only warns."""
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    listed = re.findall(r"^ARG EXTRAS=([a-z,]+)$", text, re.MULTILINE)

    assert len(listed) == 2
    assert all(re.search(rf"^{extra} = \[", project, re.MULTILINE) for extra in ",".join(listed).split(","))
    assert re.findall(r"^USER (\d+)$", text, re.MULTILINE)[-1] == "10001"
    assert re.search(r'^ENTRYPOINT \["scanner"\]$', text, re.MULTILINE)


def test_the_image_is_built_from_everything_that_the_wheel_needs() -> None:
    """A build in a container sees only the files that .dockerignore lets through."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    included = re.findall(r'^"([\w/]+)" = "scanner_cli/', project, re.MULTILINE)
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()

    assert included
    assert {f"!{path}" for path in included} <= set(lines)


@pytest.mark.process
@pytest.mark.parametrize("values", [(), POSTGRESQL, (*POSTGRESQL, *OPERATOR)], ids=["sqlite", "postgresql", "operator"])
@pytest.mark.parametrize("cluster", ["", "examples/retail/cluster.json"], ids=["server only", "with scans"])
def test_manifests_are_valid_and_their_pods_restricted(render: Render, values: tuple[str, ...], cluster: str) -> None:
    """A server reads what strangers wrote: no root, no writing, no rights in the cluster."""
    documents = manifests(render(*REQUIRED, *values, cluster=cluster))
    for document in documents:
        if not document["apiVersion"].startswith("monitoring.coreos.com"):
            kubernetes_validate.validate(document, "1.37", strict=True)
    listed = list(pods(documents))

    assert len(listed) == (2 if POSTGRESQL[0] in values and cluster else 1)
    for pod in listed:
        (container,) = pod["containers"]
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["automountServiceAccountToken"] is False
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert container["resources"]["limits"]["memory"]
        assert {mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in pod["volumes"]}
        check_options(container["args"])


@pytest.mark.process
@pytest.mark.parametrize(
    ("values", "missing"), [(REQUIRED[:1], "token.secret"), (REQUIRED[1:], "image.repository"), ((), "set ")]
)
def test_a_missing_value_is_named(render: Render, values: tuple[str, ...], missing: str) -> None:
    done = render(*values)

    assert done.returncode != 0
    assert missing in done.stderr


@pytest.mark.process
def test_a_misspelt_value_is_an_error(render: Render) -> None:
    """Else a network policy that is misspelt would not be there, without a word."""
    done = render(*REQUIRED, "networkpolicy.enabled=true")

    assert done.returncode != 0
    assert "networkpolicy" in done.stderr


@pytest.mark.process
def test_one_program_writes_a_file_and_a_cron_job_writes_a_database(render: Render) -> None:
    """SQLite on a volume has one writer; servers of a database do not scan."""
    file, database = (manifests(render(*REQUIRED, *values)) for values in ((), POSTGRESQL))
    by_kind = [
        {document["kind"]: document["spec"] for document in each if "spec" in document} for each in (file, database)
    ]
    arguments = [next(pods(each))["containers"][0]["args"] for each in (file, database)]

    assert (by_kind[0]["Deployment"]["replicas"], by_kind[0]["Deployment"]["strategy"]["type"]) == (1, "Recreate")
    assert "--config=/config/cluster.json" in arguments[0]
    assert "CronJob" not in by_kind[0]
    assert by_kind[1]["Deployment"]["replicas"] == 2
    assert "--config=/config/cluster.json" not in arguments[1]
    assert by_kind[1]["CronJob"]["concurrencyPolicy"] == "Forbid"
    assert "PersistentVolumeClaim" not in by_kind[1]


@pytest.mark.process
def test_secrets_are_referred_to_and_never_written(render: Render) -> None:
    documents = manifests(render(*REQUIRED, *POSTGRESQL, *OPERATOR))
    names = set(re.findall(r'"secret-[a-z]+"', json.dumps(documents)))

    assert not [document for document in documents if document["kind"] == "Secret"]
    assert names == {'"secret-token"', '"secret-database"', '"secret-kafka"'}


@pytest.mark.process
def test_the_network_policy_lets_nothing_into_a_scan(render: Render) -> None:
    policies = [each for each in manifests(render(*REQUIRED, *POSTGRESQL)) if each["kind"] == "NetworkPolicy"]
    by_component = {
        each["spec"]["podSelector"]["matchLabels"]["app.kubernetes.io/component"]: each["spec"] for each in policies
    }

    assert by_component["scan"]["ingress"] == []
    assert [rule["ports"] for rule in by_component["server"]["ingress"]] == [[{"port": "http", "protocol": "TCP"}]]


def test_every_value_has_a_type() -> None:
    """The schema and the values name the same members."""
    text = (CHART / "values.yaml").read_text(encoding="utf-8")
    schema = json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))

    assert set(yaml.safe_load(text)) == set(schema["properties"]) - {"global"}
    for name, value in yaml.safe_load(text).items():
        if schema["properties"][name].get("additionalProperties") is False:
            assert set(value) == set(schema["properties"][name]["properties"]), name
