"""How property tests run, and the fakes and judges that tests of several packages ask.

Property tests know no clock, because these machines share theirs, and draw the same examples each time in CI.
"""

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings

settings.register_profile("scanner", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "scanner")


@pytest.fixture(scope="session")
def cloud() -> ModuleType:
    """Load the fake of Confluent Cloud, which is a program and no part of a package."""
    return _program("cloud_server")


@pytest.fixture(scope="session")
def judge() -> ModuleType:
    """Load the judges of OpenLineage events."""
    return _program("lineage_specification")


def _program(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"{name}_for_tests", Path(__file__).parent / "fakes" / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
