"""Validation: what in the dictionary does not fit together, each with its place and a next step."""

from scanner_dictionary.validation.findings import Finding as Finding
from scanner_dictionary.validation.findings import Severity as Severity
from scanner_dictionary.validation.rules import RULES as RULES
from scanner_dictionary.validation.rules import validate as validate
