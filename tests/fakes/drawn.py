"""How many examples a property test draws."""

from hypothesis import settings

_ALL = 100
"""What a test draws that does not say how many, when all are drawn."""


def examples(number: int) -> settings:
    """Return the settings of a test that draws *number* examples, or of the quick profile the same part as others."""
    return settings(max_examples=max(1, number * settings.default.max_examples // _ALL))
