"""The client for Visual Studio Code: it fits the server, and is built if its packages are installed."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import click
import pytest

from scanner_cli.main import cli
from scanner_server.language_server import ACCEPT

CLIENT = Path(__file__).parents[2] / "editors/vscode"
SOURCE = (CLIENT / "src/extension.ts").read_text(encoding="utf-8")
MANIFEST = json.loads((CLIENT / "package.json").read_text(encoding="utf-8"))


def test_the_client_calls_what_the_server_has() -> None:
    """A renamed command would do nothing, without a word."""
    with click.Context(cli) as context:
        assert cli.get_command(context, "lsp") is not None
    assert re.search(r'args: \["lsp"\]', SOURCE)
    assert re.search(r'const ACCEPT = "([\w.]+)"', SOURCE)[1] == ACCEPT  # type: ignore[index]


def test_settings_and_commands_of_the_client_are_declared() -> None:
    read = {f"scanner.{name}" for name in re.findall(r'settings\.get<string>\("(\w+)"', SOURCE)}
    registered = set(re.findall(r'registerCommand\("([\w.]+)"', SOURCE))

    assert read == set(MANIFEST["contributes"]["configuration"]["properties"])
    assert registered == {command["command"] for command in MANIFEST["contributes"]["commands"]}


def test_a_workspace_cannot_choose_the_program() -> None:
    """A repository that is opened must not run what it likes: such settings need a trusted workspace."""
    for setting in MANIFEST["contributes"]["configuration"]["properties"].values():
        assert setting["scope"] == "machine"


@pytest.mark.process
@pytest.mark.slow
def test_the_client_is_built_and_packaged(tmp_path: Path) -> None:
    if not (CLIENT / "node_modules/@vscode/vsce").exists():
        pytest.skip("the client's packages are not installed: npm install in editors/vscode")
    file = tmp_path / "scanner.vsix"
    command = ["npx", "--no-install", "vsce", "package", "--no-dependencies", "--skip-license", "--out", str(file)]
    done = subprocess.run(command, cwd=CLIENT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    assert file.stat().st_size
