"""The rules about what jobs read and write, about topics and tables, and about tags along flows."""

from __future__ import annotations

from scanner_check.rows.rule import Rule
from scanner_check.rows.steps import OUTPUT, REPLACE_TOPIC, SQL

COLUMN_LOST = Rule(
    name="column-lost",
    meaning="A statement, connector or program no longer writes a column that others use.",
    help="keep writing the column until the listed readers have moved",
    example_bad=f"- {SQL}\n+ {SQL.replace(', total', '')}",
    example_good=f"- {SQL}\n+ {SQL.replace('total', 'total, note')}",
    steps=OUTPUT,
    find="scanner_check.rules.flows.flow_comparison:FlowComparison._column",
    is_of_column=True,
    moves_with_topic=True,
)

COLUMN_GAINED = Rule(
    name="column-gained",
    meaning="A job writes an additional column.",
    help="nothing to do",
    example_bad="+ SELECT id, total, email FROM orders",
    example_good="+ SELECT id, total FROM orders",
    find="scanner_check.rules.flows.flow_comparison:FlowComparison._column",
    is_of_column=True,
    is_harmless=True,
    new_topic=True,
)

FLOW_CHANGED = Rule(
    name="flow-changed",
    meaning="A column is computed from other columns, or by another expression.",
    help="write the new values to a new column, and migrate the listed readers",
    example_bad="- SELECT total FROM orders\n+ SELECT total * 100 AS total FROM orders",
    example_good="- SELECT total FROM orders\n+ SELECT total, total * 100 AS total_cents FROM orders",
    steps=OUTPUT,
    find="scanner_check.rules.flows.flow_comparison:FlowComparison._column",
    moves_with_topic=True,
)

OUTPUT_LOST = Rule(
    name="output-lost",
    meaning="A job no longer writes a topic or table that others use.",
    help="keep writing it until the listed readers have moved",
    example_bad="- INSERT INTO enriched SELECT …\n+ INSERT INTO enriched_v2 SELECT …",
    example_good="  INSERT INTO enriched SELECT …\n+ INSERT INTO enriched_v2 SELECT …",
    steps=OUTPUT,
    find="scanner_check.rules.flows.flow_comparison:FlowComparison.findings",
    lost_topic=3,
)

OUTPUT_GAINED = Rule(
    name="output-gained",
    meaning="A job writes an additional topic or table.",
    help="nothing to do",
    example_bad="+ INSERT INTO enriched_v2 SELECT …",
    example_good="  INSERT INTO enriched SELECT …",
    find="scanner_check.rules.flows.flow_comparison:FlowComparison.findings",
    is_harmless=True,
    new_topic=True,
)

INPUT_LOST = Rule(
    name="input-lost",
    meaning="A job no longer reads a topic or table.",
    help="nothing to do; `scanner check` tells whether the topic is still used",
    example_bad="- FROM orders JOIN customers",
    example_good="  FROM orders JOIN customers",
    find="scanner_check.rules.flows.flow_comparison:FlowComparison._inputs",
    is_harmless=True,
    lost_topic=7,
)

INPUT_GAINED = Rule(
    name="input-gained",
    meaning="A job reads an additional topic or table.",
    help="nothing to do",
    example_bad="+ FROM orders JOIN customers",
    example_good="  FROM orders",
    find="scanner_check.rules.flows.flow_comparison:FlowComparison._inputs",
    is_harmless=True,
    new_topic=True,
)

INPUT_WITHOUT_WRITER = Rule(
    name="input-without-writer",
    meaning="A job reads a topic that nothing in the repository writes or declares.",
    help="correct the name, or declare the topic",
    example_bad="- topics: orders\n+ topics: ordres",
    example_good="- topics: orders\n+ topics: orders,payments",
    steps=("Compare the name with the writer's.", "If another repository writes the topic, accept the finding."),
    find="scanner_check.comparison:_Comparison._inputs",
    new_topic=True,
)

WRITER_LOST = Rule(
    name="writer-lost",
    meaning="A job no longer writes a topic that other jobs still write, so a part of the records is missing.",
    help="keep the writer until the listed readers can do without its records",
    example_bad='- producer.send("orders", order)',
    example_good='  producer.send("orders", order)',
    steps=OUTPUT,
    find="scanner_check.comparison:_Comparison._writers",
    lost_topic=4,
)

TOPIC_RENAMED = Rule(
    name="topic-renamed",
    meaning="A topic is written or declared under another name.",
    help="keep the old topic until the listed readers have moved",
    example_bad="- topic: shoe-orders\n+ topic: shoe_orders",
    example_good="+ topic: shoe_orders  # beside shoe-orders",
    steps=REPLACE_TOPIC,
    find="scanner_check.folding:_renamed",
    lost_topic=1,
)

TOPIC_GONE = Rule(
    name="topic-gone",
    meaning="A topic that is in use is no longer created.",
    help="keep the topic until the listed jobs have moved",
    example_bad="- kafka-topics --create --topic orders",
    example_good="+ kafka-topics --create --topic orders-v2",
    steps=REPLACE_TOPIC,
    find="scanner_check.comparison:_Comparison._topics",
    lost_topic=2,
)

TABLE_GONE = Rule(
    name="table-gone",
    meaning="A table that a job uses is no longer declared.",
    help="keep the table until the listed jobs have moved",
    example_bad="- CREATE TABLE order_facts (…)",
    example_good="+ CREATE TABLE order_facts_v2 (…)",
    steps=OUTPUT,
    find="scanner_check.comparison:_Comparison._tables",
)

JOB_STOPPED = Rule(
    name="job-stopped",
    meaning="The service of a program is removed from a compose file, or only sleeps.",
    help="keep the service until the topics that it writes have no readers",
    example_bad="+ command: sleep infinity",
    example_good="+ image: shop:2",
    steps=OUTPUT,
    find="scanner_check.rules.coverage.coverage:Coverage._stopped",
)

RIGHT_LOST = Rule(
    name="right-lost",
    meaning="A principal loses a right to a topic, or keeps it from some hosts only, and no other rule grants it.",
    help="keep the rule until the principal has stopped using the topic",
    example_bad="- operations: [Read, Describe]\n+ operations: [Describe]",
    example_good="- operations: [Read, Describe]\n+ operations: [Describe, Read]",
    steps=("Ask whoever runs as the principal whether the right is still needed.", "Remove it in a change of its own."),
    find="scanner_check.rules.flows.rights:lost_rights",
)

TAG_SPREAD = Rule(
    name="tag-spread",
    meaning="A column receives a tag such as PII through a statement or connector.",
    help="leave the column out or mask it if its target must not contain such data",
    example_bad="+ SELECT id, email FROM customers",
    example_good="+ SELECT id FROM customers",
    find="scanner_check.rules.flows.tag_spread:TagSpread._found",
    is_harmless=True,
)

TAG_REMOVED = Rule(
    name="tag-removed",
    meaning="A column loses a tag to which the policy refers; the check applies the policy as if it still had the tag.",
    help="restore the tag, or let the owner of the policy confirm the removal in a change of its own",
    example_bad='- "confluent:tags": ["PII"]',
    example_good='  "confluent:tags": ["PII"]',
    steps=("Ask the owner of the policy.", "Remove the tag in a change without other edits."),
    find="scanner_check.rules.flows.tag_spread:_untagged",
)

POLICY_FORBIDDEN_FLOW = Rule(
    name="policy-forbidden-flow",
    meaning="A column with a tag reaches a system where the policy forbids it.",
    help="leave the column out, mask it, or request a waiver",
    example_bad="+ SELECT id, email FROM customers",
    example_good="+ SELECT id, SHA256(email) AS email_hash FROM customers",
    steps=("Leave the column out, or mask it.", "If it has to be there, add a waiver in a change of its own."),
    find="scanner_check.rules.flows.tag_spread:TagSpread._found",
)
