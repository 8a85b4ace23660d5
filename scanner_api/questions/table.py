"""The table of questions. A further question is a function and a row here; every face derives from it.

The module imports nothing that reads a dictionary, so that the help of the command line stays fast.
"""

from __future__ import annotations

from collections.abc import Mapping

from scanner_api.questions.question import Question

_UNKNOWN_CLUSTER = "Exit status 4: the cluster is not known."
_OLD_GRAPH = "`scanner dataflow` was not run since the newest scan"

QUESTIONS: tuple[Question, ...] = (
    Question(
        name="state",
        function="questions.names:state",
        summary="Return the newest scan, the scan that the graph is of, and the sources that are stale.",
        path="/state",
    ),
    Question(
        name="freshness",
        function="questions.names:freshness",
        summary="Return the clusters, their newest scans, and how fresh each source is.",
        path="/freshness",
        tool="freshness",
    ),
    Question(
        name="clusters",
        function="questions.listings:clusters",
        summary="List the clusters with their broker addresses and newest scans.",
        path="/clusters",
    ),
    Question(
        name="describe_topic",
        function="questions.topics:describe_topic",
        summary="Describe a topic: its current schemas with columns, and the jobs and consumer groups at it.",
        path="/clusters/{cluster}/topics/{topic}",
        tool="describe_topic",
    ),
    Question(
        name="topic_schemas",
        function="questions.topics:topic_schemas",
        summary="List the schemas of a topic with their columns and texts: all current ones, or one of them.",
        path="/clusters/{cluster}/topics/{topic}/schemas",
    ),
    Question(
        name="topics",
        function="questions.listings:topics",
        counts=("topics",),
        summary="List the topics of the dictionary.",
        path="/topics",
        heavy_with=frozenset(
            {"pattern", "tag", "owner", "without_reader", "without_writer", "unused", "unused_for", "sort"}
        ),
        tool="list_topics",
        command="topics",
        section="Find",
        line="List topics with their schemas, readers and writers.",
        help=_UNKNOWN_CLUSTER,
        examples=(
            "topics",
            "topics 'orders*' --cluster retail",
            "topics --without-schema --format json",
            "topics --without-owner --sort readers",
            "topics --unused-for 30d",
        ),
        incomplete=f"{_OLD_GRAPH}, or clients are observed for less than that time",
        shown=(
            *("cluster", "name", "partitions", "replication", "internal", "schemas", "source", "tags"),
            *("stale", "gone", "owner", "readers", "writers", "findings"),
        ),
        brief=("cluster", "name", "schemas", "readers", "writers", "findings", "owner", "stale", "gone"),
        optional=frozenset({"owner", "tags", "stale", "gone", "internal", "readers", "writers", "findings"}),
    ),
    Question(
        name="schemas",
        function="questions.listings:schemas",
        counts=("schemas",),
        summary="List the subjects of every registry, with their versions and the topics that they describe.",
        path="/schemas",
        heavy=True,
        command="schemas",
        section="Find",
        line="List the subjects of every schema registry.",
        help="The table shows versions as ranges and only the ends of very long names; the other formats show all of "
        f"them.\n\n{_UNKNOWN_CLUSTER}",
        examples=("schemas", "schemas 'com.acme.*' --format csv"),
        shown=(
            *("cluster", "registry", "context", "name", "format", "versions", "topics", "deleted"),
            *("stale", "gone"),
        ),
        brief=("cluster", "registry", "name", "format", "versions", "topics", "deleted"),
        optional=frozenset({"stale", "gone", "deleted", "context"}),
    ),
    Question(
        name="compare_versions",
        function="questions.versions:compare_versions",
        summary="Compare two stored versions of a subject: whether its registry takes the second after the first.",
        path="/schemas/diff",
        heavy=True,
    ),
    Question(
        name="enum_symbols",
        function="questions.versions:enum_symbols",
        summary="List the columns of a version that are enums, with their symbols, also those of references.",
        path="/schemas/symbols",
        heavy=True,
    ),
    Question(
        name="columns",
        function="questions.listings:columns",
        summary="List columns by name or tag: of the schemas of topics, of tables, and those that only flows know.",
        path="/columns",
        heavy_with=frozenset({"pattern", "tag", "unread"}),
        tool="find_columns",
        help="With --tag, --found, --outside or --since, the command lists where that data is and who reads it: tagged "
        "columns, columns that inherit the tag along flows, columns that a rule suggests, and readers. "
        "`outside` is yes if the data left Kafka. `scanner impact TOPIC.COLUMN` lists the uses of a column.\n\n"
        + _UNKNOWN_CLUSTER,
        incomplete=_OLD_GRAPH,
        examples=(
            "columns email",
            "columns --tag PII",
            "columns --tag PII --found suggested",
            "columns --tag PII --outside --format csv",
            "columns --tag PII --since 7d",
            "columns --unread",
        ),
        shown=(
            *("cluster", "topic", "role", "name", "type", "logical_type", "nullable", "tags", "doc", "context"),
            *("subject", "version", "inherited_tags", "origin", "dataset", "found_tags", "unseen"),
        ),
        brief=("cluster", "where", "name", "type", "tags", "inherited_tags", "unseen"),
        optional=frozenset(
            {
                *("dataset", "logical_type", "nullable", "tags", "doc", "context", "subject", "version"),
                *("inherited_tags", "found_tags", "unseen"),
            }
        ),
    ),
    Question(
        name="clients",
        function="questions.topics:clients",
        summary="List the applications that write to and read from topics: observed, configured, permitted.",
        path="/clients",
        heavy=True,
        tool="list_clients",
        command="clients",
        section="Find",
        line="List who writes to and reads from topics.",
        help="The three ways in which a use is known are never merged: monitoring observed it within a window, a file "
        "or definition says so, rules of access permit it. Of what is permitted, only the number of principals is "
        f"shown, and only for a topic.\n\n{_UNKNOWN_CLUSTER}",
        incomplete=_OLD_GRAPH,
        examples=(
            "clients orders",
            "clients orders --columns",
            "clients orders --principals",
            "clients --certainty observed --cluster retail --format csv",
        ),
        shown=(
            *("cluster", "topic", "use", "application", "kind", "certainty", "owner", "last_seen", "first_seen"),
            *("sampled", "joined", "column", "evidence", "stale", "gone"),
        ),
        brief=("cluster", "topic", "use", "application", "certainty", "owner", "last_seen", "column"),
        optional=frozenset({"column", "owner", "last_seen", "first_seen", "sampled", "joined", "stale", "gone"}),
    ),
    Question(
        name="personal_data",
        function="questions.personal_data:personal_data",
        summary="List the columns that have a tag such as PII, declared, inherited along flows or suggested, and who "
        "reads them.",
        path="/personal-data",
        heavy=True,
        tool="list_personal_data",
        incomplete=_OLD_GRAPH,
        shown=(
            *("cluster", "dataset", "column", "tag", "found", "flow", "origin", "steps", "outside", "reader", "owner"),
            "why",
        ),
        brief=("cluster", "dataset", "column", "found", "outside", "reader"),
        optional=frozenset({"reader", "owner", "flow", "origin"}),
    ),
    Question(
        name="jobs",
        function="questions.jobs:jobs",
        counts=("connectors", "statements"),
        summary="List the connectors of Kafka Connect, and the statements of Flink and ksqlDB.",
        help="`--format json` includes configurations, traces and texts of statements; secrets in them were never "
        "stored.\n\n" + _UNKNOWN_CLUSTER,
        examples=("jobs", "jobs --failed", "jobs 'orders*' --kind connector --tasks", "jobs --state running"),
        shown=(
            *("cluster", "source", "name", "kind", "class", "state", "tasks", "failed", "topics", "first_line"),
            *("error", "detail", "hidden", "stale", "gone"),
        ),
        brief=("cluster", "name", "type", "state", "uses", "stale", "gone"),
        optional=frozenset(
            {
                *("kind", "class", "state", "tasks", "failed", "topics", "first_line", "error", "detail", "hidden"),
                *("stale", "gone"),
            }
        ),
    ),
    Question(
        name="connectors",
        function="questions.jobs:connectors",
        counts=("connectors",),
        summary="List the connectors of Kafka Connect: class, state, the topics that they use, and why they failed.",
        path="/connectors",
        heavy=True,
    ),
    Question(
        name="statements",
        function="questions.jobs:statements",
        counts=("statements",),
        summary="List the statements of Flink and the queries of ksqlDB: kind, state, and how each begins.",
        path="/statements",
        heavy=True,
    ),
    Question(
        name="tables",
        function="questions.listings:tables",
        counts=("tables",),
        summary="List the tables of catalogs, and the tables that topics are materialized as.",
        path="/tables",
        heavy=True,
        command="tables",
        section="Find",
        line="List tables of catalogs and databases.",
        help="PATTERN also fits the topic of a table. `--format json` includes columns.\n\n" + _UNKNOWN_CLUSTER,
        examples=(
            "tables",
            "tables orders --provider glue",
            "tables '*.sales.*' --format json",
            "tables --format csv",
        ),
        shown=(
            *("cluster", "provider", "name", "topic", "kind", "format", "state", "columns", "location"),
            *("stale", "gone"),
        ),
        brief=("cluster", "provider", "name", "topic", "columns"),
        optional=frozenset({"topic", "state", "location", "stale", "gone"}),
    ),
    Question(
        name="findings",
        function="questions.listings:findings",
        counts=("findings",),
        summary="List what failed or does not fit together, as `scanner validate` found after the newest scan.",
        path="/findings",
        heavy=True,
        tool="list_problems",
    ),
    Question(
        name="sources",
        function="questions.listings:sources",
        counts=("sources",),
        summary="List the sources, and since which scan each is stale.",
        path="/sources",
    ),
    Question(
        name="scans",
        function="questions.listings:scans",
        counts=("scans",),
        summary="List the scans, the newest first.",
        path="/scans",
    ),
    Question(
        name="scan_sources",
        function="questions.listings:scan_sources",
        summary="List how each source responded in a scan.",
        path="/scans/{scan}/sources",
    ),
    Question(
        name="scan_problems",
        function="questions.listings:scan_problems",
        summary="List what a scan could not read or parse.",
        path="/scans/{scan}/problems",
    ),
    Question(
        name="summary",
        function="questions.names:summary",
        summary="Count the graph's nodes by kind and namespace, and the findings by rule.",
        path="/summary",
    ),
    Question(
        name="nodes",
        function="questions.names:nodes",
        summary="List the graph's topics, jobs, datasets and consumer groups, with what each of them reports.",
        path="/nodes",
    ),
    Question(
        name="search",
        function="questions.names:search",
        summary="Search topics, jobs, datasets, consumer groups, subjects, columns, tags and owners by name; the best "
        "match first.",
        path="/search",
        tool="search",
        command="search",
        section="Find",
        line="Find a topic, column, table, job, tag or owner by name.",
        help="`detail` is a column's type, or the documentation where only that has TEXT.",
        incomplete=f"{_OLD_GRAPH}, or more matches than is ranked",
        examples=("search order", "search customer --kind column", "search PII"),
        shown=("kind", "where", "name", "path", "detail", "origin", "topics", "match"),
        brief=("kind", "full_name", "where", "detail"),
        optional=frozenset({"path", "detail", "origin", "topics"}),
    ),
    Question(
        name="search_counts",
        function="questions.names:search_counts",
        summary="Count the hits of a search by kind and by cluster.",
        path="/search/counts",
        heavy=True,
    ),
    Question(
        name="staleness",
        function="questions.staleness:staleness",
        summary="List the data that is stale, with the cause: a failed or stopped job, or a source that was not read.",
        path="/stale",
        heavy=True,
        tool="list_stale",
        incomplete=_OLD_GRAPH,
    ),
    Question(
        name="graphs",
        function="questions.graph:graphs",
        summary="List the scans whose graphs can be read and compared, the oldest first.",
        path="/graphs",
    ),
    Question(
        name="overview",
        function="questions.graph:whole_graph",
        summary="Return the graph without schemas and columns, with its coverage and problems.",
        path="/overview",
    ),
    Question(
        name="lineage",
        function="questions.graph:lineage",
        summary="Return where the data of a node come from and where they go, each step with its evidence.",
        path="/lineage",
        page=2_000,
        tool="get_lineage",
    ),
    Question(
        name="paths",
        function="questions.graph:paths",
        summary="Return the shortest paths of data from one node to another, or else back.",
        path="/paths",
        tool="get_paths",
    ),
    Question(
        name="impact",
        function="questions.impact:impact",
        summary="List what is affected if a node is renamed or dropped: jobs and groups first, then the nearest.",
        path="/impact",
        heavy=True,
        page=2_000,
        tool="get_impact",
    ),
    Question(
        name="impact_csv",
        function="questions.impact:impact_csv",
        summary="List what is affected as CSV.",
        path="/impact.csv",
        media="text/csv",
        heavy=True,
    ),
    Question(
        name="diff",
        function="questions.changes:compare",
        summary="Compare two scans: topics, schemas with their compatibility, columns, jobs; lineage with `flows`.",
        path="/scans/diff",
        heavy=True,
        tool="diff_scans",
    ),
    Question(
        name="changes",
        function="questions.changes:changes",
        summary="List what changed since a scan or date, last week by default: topics, schemas, columns, jobs.",
        path="/changes",
        heavy=True,
        tool="changes",
        incomplete="a cluster was first scanned later: it is compared from its first scan on",
        shown=(
            *("cluster", "topic", "side", "column", "kind", "name", "action", "before", "after", "backward", "forward"),
            "why",
        ),
        brief=("cluster", "topic", "kind", "column", "name", "action", "backward", "forward"),
        optional=frozenset({"side", "column", "before", "after", "backward", "forward", "why"}),
    ),
    Question(
        name="history_feed",
        function="questions.changes:history_feed",
        summary="List what the newest scans changed of a node, as an Atom feed for feed readers.",
        path="/history.atom",
        media="application/atom+xml",
        heavy=True,
    ),
    Question(
        name="history",
        function="questions.changes:history_lines",
        summary="List what each scan changed of a topic, column, job, subject or connector, the oldest first.",
        path="/history",
        heavy=True,
        tool="get_history",
    ),
    Question(
        name="may_delete",
        function="questions.changes:may_delete",
        summary="Find out whether a topic, subject, version or schema id may be deleted, and who uses it.",
        path="/may-delete",
        heavy=True,
        tool="may_delete",
    ),
    Question(
        name="check_change",
        function="questions.changes:check_change",
        summary="Check a proposed schema, statement or connector: whether the registry would accept it, and which "
        "columns, jobs and groups it hits.",
        path="/check-change",
        method="POST",
        heavy=True,
        tool="check_change",
    ),
    Question(
        name="check_work_tree",
        function="questions.work_tree:check_work_tree",
        summary="Check the uncommitted changes of a repository on this computer: what they break and whom they hit.",
        local=True,
        heavy=True,
        tool="check_work_tree",
    ),
)
"""All questions, in the order of the pages that are generated from them."""

BY_NAME: Mapping[str, Question] = {question.name: question for question in QUESTIONS}
