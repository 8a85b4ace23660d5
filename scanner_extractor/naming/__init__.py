"""Naming strategies: which topic, and which side of its messages, a subject belongs to; a table, with plug-ins."""

from scanner_extractor.naming.choice import Choice, Explanation, Proposed, as_json, choose, explain_subject, propose
from scanner_extractor.naming.strategies import STRATEGIES, strategies_in_force
from scanner_extractor.naming.subjects import Candidate, Link, Strategy, Subject, is_topic_name, parse_subject

__all__ = [
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
