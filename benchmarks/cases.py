"""Real inputs against what is right: `make cases`, or `python benchmarks/cases.py [FOLDER]`.

The folder is not part of the project; without an argument it is named by SCANNER_CASES. Each file gets a line
"right / all" and each deviation another. Status 1 where a deviation has no known reason.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from case_results import FileResult, Suite
from connect_cases import connectors
from lineage_cases import lineage_events
from schema_cases import expected_columns, readable_schemas
from sql_cases import column_lineage, valid_statements
from streams_cases import topologies

SUITES: tuple[Suite, ...] = (
    expected_columns,
    readable_schemas,
    valid_statements,
    column_lineage,
    connectors,
    lineage_events,
    topologies,
)


def main(arguments: list[str]) -> int:
    """Run every suite whose files are there, and print how it ended."""
    named = (arguments or [os.environ.get("SCANNER_CASES", "")])[0]
    if not named or not Path(named).is_dir():
        print(f"skipped: no folder of cases {named!r}; name one as argument or in SCANNER_CASES")
        return 0
    results: list[FileResult] = []
    for suite in SUITES:
        for result in suite(Path(named)):
            print(result, flush=True)
            results.append(result)
    defects = sum(not deviation.reason for result in results for deviation in result.deviations)
    print(f"{sum(r.right for r in results)} / {sum(r.total for r in results)} right, {defects} unexplained deviations")
    return 1 if defects else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
