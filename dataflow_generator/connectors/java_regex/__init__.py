"""Java's regular expressions, evaluated in time linear in the text, whatever the pattern."""

from dataflow_generator.connectors.java_regex.regex import JavaRegex, java_regex

__all__ = ["JavaRegex", "java_regex"]
