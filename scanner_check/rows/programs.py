"""The rules about what changed code does to the records that it sends or reads."""

from __future__ import annotations

from scanner_check.rows.rule import Rule
from scanner_check.rows.steps import REPLACE, REPLACE_TOPIC, REVIEW

RECORD_FIELD_REMOVED = Rule(
    name="record-field-removed",
    meaning="Code no longer writes a field of a message, and the topic's schema does not change.",
    help="keep the field until every reader has moved, and change the schema with the code",
    example_bad="- BigDecimal total;",
    example_good="  BigDecimal total;\n+ BigDecimal amount;",
    steps=REPLACE,
    find="scanner_check.rules.flows.program_changes:ProgramChanges._finding",
    is_of_field=True,
)

RECORD_FIELD_RETYPED = Rule(
    name="record-field-retyped",
    meaning="Code writes a field of a message with another type, and the topic's schema does not change.",
    help="add a field with the new type, and change the schema with the code",
    example_bad="- BigDecimal total;\n+ String total;",
    example_good="  BigDecimal total;\n+ String totalText;",
    steps=REPLACE,
    find="scanner_check.rules.flows.program_changes:ProgramChanges._finding",
    is_of_field=True,
)

RECORD_FIELD_COMPUTED = Rule(
    name="record-field-computed",
    meaning="Code computes a field of a message from other values than before.",
    help="tell the readers of the topic what the values mean now, or write them to a further field",
    example_bad="- total: order.total\n+ total: order.paid ? 0 : order.total",
    example_good="+ totalDue: order.paid ? 0 : order.total",
    steps=REPLACE,
    find="scanner_check.rules.flows.program_changes:ProgramChanges._finding",
    is_of_field=True,
)

RECORD_KEY_CHANGED = Rule(
    name="record-key-changed",
    meaning="Code sends records with another key or to another partition.",
    help="keep the key, or write the records with the new key to a new topic",
    example_bad="- send(topic, order.id, order)\n+ send(topic, order.customer, order)",
    example_good="  send(topic, order.id, order)",
    steps=REPLACE_TOPIC,
    find="scanner_check.rules.flows.program_changes:ProgramChanges._finding",
)

RECORD_FORMAT_CHANGED = Rule(
    name="record-format-changed",
    meaning="Code serializes records in another way, or with other headers.",
    help="write the new format to a new topic until every reader has moved",
    example_bad="- json.dumps(order)\n+ msgpack.packb(order)",
    example_good="  json.dumps(order)",
    steps=REPLACE_TOPIC,
    find="scanner_check.rules.flows.program_changes:ProgramChanges._finding",
)

RECORD_CONDITION_CHANGED = Rule(
    name="record-condition-changed",
    meaning="Code sends records under another condition than before.",
    help="check with the readers whether they need the records that are no longer sent, or can take the further ones",
    example_bad="+ if (order.paid)\n    send(order)",
    example_good="  send(order)",
    steps=REVIEW,
    find="scanner_check.rules.flows.program_changes:ProgramChanges._finding",
)

RECORD_FIELD_EXPECTED = Rule(
    name="record-field-expected",
    meaning="A reader's record class gets a field that no known program writes.",
    help="write the field first, or make the reader accept messages without it",
    example_bad="+ BigDecimal discount;",
    example_good="+ BigDecimal total;",
    find="scanner_check.rules.flows.record_classes:record_findings",
    is_of_field=True,
)

CODE_CHANGED = Rule(
    name="code-changed",
    meaning="Code that reaches records changes, and its effect on them is not determined.",
    help="review the changed lines with the readers of the topic",
    example_bad='- record.put("total", total)\n+ record.put("total", total.negate())',
    example_good='- log.info("sent")\n+ log.debug("sent")',
    steps=REVIEW,
    find="scanner_check.rules.flows.program_changes:ProgramChanges._finding",
)
