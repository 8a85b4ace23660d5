"""Next steps and examples that several rules share."""

from __future__ import annotations

REPLACE = (
    "Mark the old column as deprecated in its documentation, and leave it in place.",
    "Add the new column, optional or with a default.",
    "Write both columns until every reader has moved.",
    "Migrate the readers that the finding lists; `scanner lineage --impact` shows who is left.",
    "Remove the old column in a change of its own.",
)
REPLACE_TOPIC = (
    "Create the new topic, and write to both.",
    "Migrate the readers that the finding lists; `scanner clients TOPIC` shows who is left.",
    "Stop writing the old topic, and wait until its retention time has passed.",
    "Run `scanner check --topic`, then delete the old topic.",
)
OUTPUT = (
    "Keep the old output, and add the new one beside it.",
    "Migrate the readers that the finding lists.",
    "Remove the old output in a change of its own.",
)
SCAN = (
    "Run `scanner doctor` to see whether each source answers.",
    "Run `scanner scan` again.",
    "Repeat the check with the new dictionary.",
)
REVIEW = (
    "Read the changed line with the owners of the topic.",
    "If data do not change, accept the finding; otherwise migrate the readers first.",
)

FIELD = '{"name": "total", "type": "double"}'
OPTIONAL = '{"name": "note", "type": ["null", "string"], "default": null}'
SQL = "INSERT INTO enriched SELECT id, total FROM orders;"
