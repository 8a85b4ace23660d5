"""A library that writes objects as records defines what others send: its classes are judged without a client."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from scanner_check.model import ChangeReport, Verdict

pytestmark = pytest.mark.slow

ATTRS = """\
import attr


@attr.s(frozen=True)
class Course:
    key = attr.ib(type=str)
    effort = attr.ib(type=str, default=None)
    LIMIT = 3

    def label(self):
        return self.key
"""
WRITER = """\
import attr
from fastavro import schemaless_writer


def write(out, schema, event):
    schemaless_writer(out, schema, attr.asdict(event))
"""
SETUP = "from setuptools import setup\nsetup(name='events', packages=['events'])\n"
PYTHON = {"setup.py": SETUP, "events/data.py": ATTRS, "events/serializer.py": WRITER}

RECORD = "package c.acme;\npublic record Trip(String id, double km) {}\n"
REFLECT = """\
package c.acme;
import org.apache.avro.reflect.ReflectData;
class Schemas { static Object of(Class<?> type) { return ReflectData.get().getSchema(type); } }
"""
POM = "<project><groupId>c.acme</groupId><artifactId>contracts</artifactId><version>1</version></project>"
JAVA = {
    "contracts/pom.xml": POM,
    "contracts/src/main/java/c/acme/Trip.java": RECORD,
    "contracts/src/main/java/c/acme/Schemas.java": REFLECT,
}
TRIP = "contracts/src/main/java/c/acme/Trip.java"


@pytest.mark.parametrize(
    ("files", "path", "old", "new", "named"),
    [
        (PYTHON, "events/data.py", "    effort = attr.ib(type=str, default=None)\n", "", "Course.effort"),
        (PYTHON, "events/data.py", "effort = attr.ib(type=str", "effort = attr.ib(type=int", "Course.effort"),
        (JAVA, TRIP, ", double km", "", "Trip.km"),
        (JAVA, TRIP, "double km", "double miles", "Trip.km"),
    ],
)
def test_a_member_that_leaves_a_record_class_is_unknown(
    check: Callable[..., ChangeReport], files: dict[str, str], path: str, old: str, new: str, named: str
) -> None:
    report = check({path: files[path].replace(old, new)}, files)

    assert report.verdict is Verdict.UNKNOWN
    assert [named] == [name for one in report.findings for name in one.message.values[0]]


def test_a_class_that_is_gone_is_unknown(check: Callable[..., ChangeReport]) -> None:
    assert check({TRIP: None}, JAVA).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return self.key", "return self.key.upper()"),
        ("LIMIT = 3", "LIMIT = 4"),
        ("default=None)\n", "default=None)\n    note = attr.ib(type=str, default='')\n"),
    ],
)
def test_what_is_no_member_of_records_or_only_added_is_fine(
    check: Callable[..., ChangeReport], old: str, new: str
) -> None:
    assert check({"events/data.py": ATTRS.replace(old, new)}, PYTHON).verdict is Verdict.FINE


def test_classes_of_a_library_that_writes_no_records_are_of_no_concern(check: Callable[..., ChangeReport]) -> None:
    files = {**PYTHON, "events/serializer.py": WRITER.replace("fastavro", "rendering")}

    assert check({"events/data.py": ATTRS.replace("effort", "hours")}, files).verdict is Verdict.FINE


def test_a_use_of_the_format_in_tests_only_is_no_sign(check: Callable[..., ChangeReport]) -> None:
    files = {"setup.py": SETUP, "events/data.py": ATTRS, "tests/test_serializer.py": WRITER}

    assert check({"events/data.py": ATTRS.replace("effort", "hours")}, files).verdict is Verdict.FINE


def test_a_class_that_moves_to_another_file_is_fine(check: Callable[..., ChangeReport]) -> None:
    assert check({"events/data.py": None, "events/course.py": ATTRS}, PYTHON).verdict is Verdict.FINE
