"""`scanner demo` prints commands that run as they are pasted, also if the program is not on the PATH."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[3]
LINE = re.compile(r"^  (\S*.*scanner'? (?:lineage|columns|impact|serve|scan) .*)$", re.MULTILINE)


@pytest.fixture(scope="module")
def demo(tmp_path_factory) -> tuple[Path, list[str]]:
    """Run the demo by a path; return its directory and the command lines that it printed."""
    home = tmp_path_factory.mktemp("demo with a space")
    program = home / ".venv" / "bin" / "scanner"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!{sys.executable}\nfrom scanner_cli.main import main\nmain()\n")
    program.chmod(0o755)
    done = subprocess.run([".venv/bin/scanner", "demo", "-o", "out/retail"], cwd=home, capture_output=True, text=True)
    return home, LINE.findall(done.stdout)


def bash(line: str, directory: Path) -> subprocess.Popen[str]:
    environment = os.environ | {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "BROWSER": "true"}
    pipe = subprocess.PIPE
    return subprocess.Popen(["bash", "-c", line], cwd=directory, env=environment, text=True, stdout=pipe, stderr=pipe)


def test_the_questions_of_the_demo_run_as_printed(demo) -> None:
    """A first command that fails is the last."""
    home, lines = demo
    questions = [line for line in lines if " serve " not in line and " scan " not in line]

    for line in questions:
        with bash(line, home) as process:
            out, err = process.communicate(timeout=120)
        assert process.returncode == 0, (line, err)
        assert out
    assert len(questions) == 3


def test_the_page_of_the_demo_opens_as_printed(demo) -> None:
    """Only the port is another one: tests run beside each other."""
    home, lines = demo
    (line,) = [line for line in lines if " serve " in line]

    with bash(f"exec {line} --port 0", home) as process:
        ready = process.stderr.readline()
        process.terminate()

    assert "at http://127.0.0.1:" in ready


def test_a_directory_of_files_is_scanned_as_printed(demo, tmp_path) -> None:
    """The line names the program by its whole path, because it runs in another directory."""
    _, lines = demo
    (line,) = [line for line in lines if line.endswith(" scan .")]
    (tmp_path / "orders-value.avsc").write_text('{"type": "record", "name": "O", "fields": []}')

    with bash(line, tmp_path) as process:
        _, err = process.communicate(timeout=120)

    assert process.returncode == 0, err
    assert (tmp_path / "dictionary.db").exists()


def test_setup_installs_what_the_lines_of_the_demo_need() -> None:
    """`serve` needs the extra `server`, `scan .` those that read programs and Terraform."""
    makefile = (ROOT / "Makefile").read_text()
    setup = makefile.partition("$(BIN)/scanner: pyproject.toml")[2].partition("\n\n")[0]

    assert "'.[server,code,terraform]'" in setup
