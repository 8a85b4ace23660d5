"""The report at the end of a generation: few lines, and where the rest is."""

from dataflow_generator.build.coverage import Coverage
from scanner_cli.output.graph import coverage_lines
from scanner_model.errors import Problem

TWENTY_THREE = Coverage(columns=2, problems=tuple(Problem(f"connector c{at}", "is odd") for at in range(23)))


def test_the_first_problems_are_listed_and_where_all_of_them_are() -> None:
    """A large installation has thousands, often of one kind; they would hide everything else."""
    lines = list(coverage_lines(TWENTY_THREE, "--report"))

    assert lines[:2] == ["statements: 2 read to columns, 0 to tables, 0 not read", "problems: 23"]
    assert (len(lines), lines[-1]) == (23, "  and 3 more: see --report")


def test_few_problems_are_all_listed() -> None:
    """Without a rest, no line mentions one."""
    lines = list(coverage_lines(Coverage(problems=TWENTY_THREE.problems[:20]), "--report"))

    assert (len(lines), lines[-1]) == (21, f"  {TWENTY_THREE.problems[19]}")
