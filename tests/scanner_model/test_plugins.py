"""Plug-ins of other packages: whatever they do wrong is one error that names the package."""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from scanner_model.errors import InputInvalid, PayloadUnexpected, Problem, ScannerError
from scanner_model.plugins import Plugin, PluginError

PLUGIN = Plugin("scanner.registries", "acme", "acme_that_exits:read", "acme-kit", "1.0")


@pytest.mark.parametrize("failure", [RuntimeError("no licence"), SystemExit(0), SystemExit("bye")])
def test_plug_in_that_fails_or_exits_is_an_error(failure: BaseException) -> None:
    """`sys.exit()` in a plug-in must not end the program as if all were well."""

    def read() -> None:
        raise failure

    with pytest.raises(PluginError, match=type(failure).__name__) as caught:
        PLUGIN.guarded(read)()
    assert "acme-kit" in caught.value.hint


def test_plug_in_that_exits_when_it_is_imported_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A script without a main guard does."""
    (tmp_path / "acme_that_exits.py").write_text("raise SystemExit(0)\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(PluginError, match="cannot be loaded"):
        PLUGIN.load()
    with pytest.raises(PluginError):
        PLUGIN.load_or_raise_later()()


@pytest.mark.parametrize("passing", [KeyboardInterrupt(), PayloadUnexpected("no list")])
def test_ctrl_c_and_errors_of_ours_pass(passing: BaseException) -> None:
    """They are not the plug-in's failure."""
    with pytest.raises(type(passing)), PLUGIN.errors():
        raise passing


SECRETS = ("Zq9planted1", "Zq9planted2", "Zq9planted3")
TEXT = "refused: password=Zq9planted1 postgresql://u:Zq9planted2@h/d Authorization: Bearer Zq9planted3"


def _raising(error: BaseException) -> None:
    raise error


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError(TEXT),
        SystemExit(TEXT),
        PayloadUnexpected(TEXT, where=TEXT, hint=TEXT),
        InputInvalid.listing([Problem(TEXT, TEXT, TEXT)] * 2),
    ],
)
def test_secrets_of_whatever_a_plug_in_raises_are_masked(error: BaseException) -> None:
    """Errors are shown, stored as problems, and logged with their causes."""
    with pytest.raises(ScannerError) as caught:
        PLUGIN.guarded(_raising)(error)

    shown = "".join(traceback.format_exception(caught.value)) + str(caught.value) + repr(vars(caught.value))
    logged = [line for line in shown.splitlines() if "raise error" not in line]
    assert not [secret for secret in SECRETS if secret in "".join(logged)]


def test_secrets_of_a_plug_in_that_cannot_be_imported_are_masked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "acme_that_leaks.py").write_text(f"raise RuntimeError({TEXT!r})\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(PluginError, match="RuntimeError") as caught:
        replace(PLUGIN, value="acme_that_leaks:read").load()

    assert not [secret for secret in SECRETS if secret in str(caught.value)]


def test_error_that_cannot_be_written_is_named_by_its_class() -> None:
    class Broken(Exception):
        def __str__(self) -> str:
            raise RuntimeError(TEXT)

    with pytest.raises(PluginError, match="failed: Broken"):
        PLUGIN.guarded(_raising)(Broken())


def test_plug_in_prints_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    """Standard output is the result of the command, such as JSON."""

    def values() -> Iterator[int]:
        sys.stdout.write("third\n")
        yield 1

    PLUGIN.guarded(lambda: sys.stdout.write("first\n"))()
    sys.stdout.write("second\n")
    for value in PLUGIN.iterate(values):
        sys.stdout.write(f"{value}\n")

    assert capsys.readouterr() == ("second\n1\n", "first\nthird\n")


def test_thread_that_runs_no_plug_in_prints_to_stdout_meanwhile(capsys: pytest.CaptureFixture[str]) -> None:
    entered, done = threading.Event(), threading.Event()

    def plug_in() -> None:
        entered.set()
        done.wait(10)
        sys.stdout.write("plug-in\n")

    thread = threading.Thread(target=PLUGIN.guarded(plug_in))
    thread.start()
    entered.wait(10)
    sys.stdout.write("result\n")
    done.set()
    thread.join()

    assert capsys.readouterr() == ("result\n", "plug-in\n")
