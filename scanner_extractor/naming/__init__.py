"""Naming strategies: which topic, and which side of its messages, a subject belongs to; a table, with plug-ins."""

from scanner_extractor.naming.candidates import Candidate, Link, Strategy, Subject, is_topic_name
from scanner_extractor.naming.choice import Choice, Proposed, choose, propose
from scanner_extractor.naming.explain import Explanation, as_json, explain_subject
from scanner_extractor.naming.subjects import parse_subject
from scanner_extractor.naming.table import DEFAULTS, STRATEGIES, strategies_in_force

__all__ = [
    "DEFAULTS",
    "STRATEGIES",
    "Candidate",
    "Choice",
    "Explanation",
    "Link",
    "Proposed",
    "Strategy",
    "Subject",
    "as_json",
    "choose",
    "explain_subject",
    "is_topic_name",
    "parse_subject",
    "propose",
    "strategies_in_force",
]
