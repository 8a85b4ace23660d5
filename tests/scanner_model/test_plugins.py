"""Plug-ins of other packages: whatever they do wrong is one error that names the package."""

from __future__ import annotations

from pathlib import Path

import pytest

from scanner_model.errors import PayloadUnexpected
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
