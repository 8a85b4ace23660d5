"""DataZone as a target of pushes."""

from scanner_extractor.systems import TargetRow
from scanner_model.maturity import validated

TARGET = TargetRow(
    "scanner_api.push.targets.datazone:TARGET",
    validated("Amazon DataZone", "botocore's service model", "tests/conformance/test_push_targets.py"),
)
