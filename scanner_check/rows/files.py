"""The rules about what is not known: files that are not read, settings without a meaning, stale sources."""

from __future__ import annotations

from scanner_check.rows.rule import Rule
from scanner_check.rows.steps import REPLACE_TOPIC, REVIEW, SCAN

NOT_JUDGED = Rule(
    name="not-judged",
    meaning="A relevant setting, library, statement or command changes, and its effect is not determined.",
    help="check by hand whether records change",
    example_bad="+ transforms: mask",
    example_good="- tasks.max: 1\n+ tasks.max: 4",
    steps=REVIEW,
    find="scanner_check.rules.coverage.coverage:Coverage._of_programs",
)

MENTIONED = Rule(
    name="mentioned",
    meaning="A changed line mentions a topic, and scanner cannot interpret that line.",
    help="check by hand whether the topic's records change",
    example_bad="+ exec_consumer --queue orders",
    example_good="+ # reads orders",
    steps=REVIEW,
    find="scanner_check.comparison:_Comparison._mentioned",
    lost_topic=6,
    new_topic=True,
)

NOT_EXAMINED = Rule(
    name="not-examined",
    meaning="scanner does not claim to understand a changed file.",
    help="review the file; without --strict it is only listed",
    example_bad="+ lib/models.jar",
    example_good="+ docs/models.md",
    steps=REVIEW,
    find="scanner_check.commits:_not_examined",
)

NOT_READ = Rule(
    name="not-read",
    meaning="A file cannot be read, or the columns of a statement or connector are not all known.",
    help="correct the file, install the extra that reads it, or review the change by hand",
    example_bad="+ topics: {{ topics | join }}",
    example_good="+ topics: orders",
    steps=REVIEW,
    find="scanner_check.comparison:_Comparison._unread",
    is_undecided=True,
    is_unjudged=True,
)

UNPARSED = Rule(
    name="unparsed",
    meaning="The file is not a valid schema, statement or configuration.",
    help="correct the syntax error at the reported place",
    example_bad='+ {"type": "record", "name": "Order", "fields": [}',
    example_good='+ {"type": "record", "name": "Order", "fields": []}',
    find="scanner_check.rules.coverage.file_findings:unparsed",
    is_unjudged=True,
)

NOTHING_CHECKED = Rule(
    name="nothing-checked",
    meaning="No rule of --map matches a changed file, or there is no file to check.",
    help="correct --map or the base commit",
    example_bad="--map 'schema/{subject}.avsc'",
    example_good="--map 'schemas/{subject}.avsc'",
    find="scanner_check.check:_nothing_checked",
    is_harmless=True,
    is_unjudged=True,
)

UNKNOWN_NAME = Rule(
    name="unknown-name",
    meaning="The dictionary does not contain what the file changes.",
    help="correct the name, or allow new ones with --allow-new",
    example_bad="scanner check ordres-value.avsc",
    example_good="scanner check orders-value.avsc",
    find="scanner_check.rules.coverage.file_findings:unknown_name",
    is_harmless=True,
)

FILE_DELETED = Rule(
    name="file-deleted",
    meaning="The file of a subject or topic is deleted.",
    help="run `scanner check`, and migrate the listed readers first",
    example_bad="- schemas/orders-value.avsc",
    example_good="  schemas/orders-value.avsc",
    steps=REPLACE_TOPIC,
    find="scanner_check.rules.coverage.file_findings:check_deleted",
    lost_topic=5,
)

SETTINGS_CHANGED = Rule(
    name="settings-changed",
    meaning=(
        "The change edits the settings, policy or baseline by which it is checked. The copy of the base commit counts."
    ),
    help="move the edit into a change of its own, and let the owners of the file review it",
    example_bad="+ .scanner-baseline.json and schemas/orders-value.avsc in one pull request",
    example_good="+ .scanner-baseline.json alone",
    steps=("Open a pull request with the edit alone.", "Merge it.", "Rebase this pull request."),
    find="scanner_check.inputs.options:_changed",
)

STALE_SOURCE = Rule(
    name="stale-source",
    meaning="A source could not be read since an earlier scan.",
    help="run `scanner doctor`",
    example_bad="connect: unavailable",
    example_good="connect: read",
    steps=SCAN,
    find="scanner_check.users.unknowns:source_findings",
)

OLD_SOURCE = Rule(
    name="old-source",
    meaning="A source was read longer ago than --max-age.",
    help="scan again",
    example_bad="read 3 days ago, --max-age 24h",
    example_good="read 2 hours ago, --max-age 24h",
    steps=SCAN,
    find="scanner_check.users.unknowns:source_findings",
)

FUTURE_SOURCE = Rule(
    name="future-source",
    meaning="A source was read in the future: a clock is wrong.",
    help="correct the clock, and scan again",
    example_bad="read at 2031-01-01",
    example_good="read an hour ago",
    steps=SCAN,
    find="scanner_check.users.unknowns:source_findings",
)

NO_GRAPH = Rule(
    name="no-graph",
    meaning="The dictionary has no graph, so readers are unknown.",
    help="run `scanner dictionary dataflow`",
    example_bad="scanner scan --no-graph",
    example_good="scanner scan",
    steps=SCAN,
    find="scanner_check.users.unknowns:graph_findings",
)

OLD_GRAPH = Rule(
    name="old-graph",
    meaning="The graph is older than the newest scan.",
    help="run `scanner dictionary dataflow`",
    example_bad="scanner scan --no-graph",
    example_good="scanner scan",
    steps=SCAN,
    find="scanner_check.users.unknowns:graph_findings",
)

UNREAD_JOBS = Rule(
    name="unread-jobs",
    meaning="Some statements, views or connectors could not be read completely; they may use what changes.",
    help="`scanner validate --rule unread-statement` lists them",
    example_bad="a statement with an unsupported function",
    example_good="the same columns described by manual input",
    steps=SCAN,
    find="scanner_check.users.unknowns:graph_findings",
)
