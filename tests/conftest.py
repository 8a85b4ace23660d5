"""How property tests run: without a clock, because these machines share theirs; the same examples each time in CI."""

import os

from hypothesis import settings

settings.register_profile("scanner", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "scanner")
