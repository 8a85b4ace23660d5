"""The deployment examples: they parse, and their commands are commands of scanner with options that it has."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from scanner_cli.main import cli

DEPLOY = Path(__file__).parents[2] / "examples/deploy"


def documents(name: str) -> list[Any]:
    return list(yaml.safe_load_all((DEPLOY / name).read_text(encoding="utf-8")))


def containers() -> list[dict[str, Any]]:
    """Return the containers of every workload."""
    listed = []
    for document in documents("kubernetes.yaml"):
        spec = document.get("spec", {})
        template = spec.get("jobTemplate", {}).get("spec", spec).get("template", {})
        listed += template.get("spec", {}).get("containers", [])
    return listed


def commands() -> list[list[str]]:
    (compose,) = documents("compose.yaml")
    return [compose["services"]["scanner"]["command"], *(container["args"] for container in containers())]


@pytest.mark.parametrize("arguments", commands(), ids=lambda each: each[0])
def test_commands_have_the_options_that_are_given(arguments) -> None:
    """An example that does not start is worse than none."""
    with click.Context(cli) as context:
        command = cli.get_command(context, arguments[0])
        assert command is not None
        known = {name for parameter in command.params for name in parameter.opts}

    assert {option for option in arguments if option.startswith("--")} <= known


def test_nothing_runs_as_root_or_may_write_elsewhere() -> None:
    """The server reads what strangers wrote."""
    (compose,) = documents("compose.yaml")
    services = compose["services"]

    assert services["scanner"]["cap_drop"] == ["ALL"]
    assert {name: service["read_only"] for name, service in services.items()} == {"scanner": True, "postgres": True}
    assert all(service["security_opt"] == ["no-new-privileges:true"] for service in services.values())
    assert len(containers()) == 2
    for container in containers():
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        assert container["securityContext"]["allowPrivilegeEscalation"] is False
        assert container["resources"]["limits"]["memory"]


def test_the_compose_file_has_no_password_and_starts_without_none() -> None:
    """A default password is one that everybody knows."""
    (compose,) = documents("compose.yaml")
    environments = [service["environment"] for service in compose["services"].values()]
    secrets = [text for each in environments for name, text in each.items() if "PASSWORD" in text or "TOKEN" in name]

    assert len(secrets) == 3
    assert all(re.search(r"\$\{\w+:\?", text) for text in secrets)


def test_the_image_installs_extras_that_exist_and_is_not_root() -> None:
    """A misspelt extra only warns."""
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    project = (DEPLOY.parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    extras = re.search(r"/src\[([a-z,]+)\]", text)

    assert extras
    assert all(re.search(rf"^{extra} = \[", project, re.MULTILINE) for extra in extras[1].split(","))
    assert re.search(r"^USER 10001$", text, re.MULTILINE)
    assert re.search(r'^ENTRYPOINT \["scanner"\]$', text, re.MULTILINE)
