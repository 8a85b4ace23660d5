"""Source texts are parsed by many threads at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from scanner_extractor.repository.applications.code import read_unit
from scanner_extractor.repository.syntax_trees import helps_tests, is_test, parse_tree

LONG = 'class A { void f() { send("a" + "b"); } }\n' * 200


def test_threads_parse_at_the_same_time() -> None:
    """A scan reads several repositories at once."""
    with ThreadPoolExecutor(8) as threads:
        units = list(threads.map(lambda number: read_unit(f"A{number}.java", LONG), range(64)))

    assert {len(unit.calls) for unit in units} == {200}


@pytest.mark.parametrize(
    ("path", "is_one"),
    [
        ("spec/models/order_spec.rb", True),
        ("app/spec/order.js", True),
        ("pkg/spec/send.go", False),
        ("spec/asyncapi.yaml", False),
        ("orders_test.go", True),
        ("topics/orders_test.tf", False),
        ("src/Shop.Tests/OrderBuilder.cs", True),
        ("src/Shop.IntegrationTests/appsettings.json", True),
        ("src/Shop.Contests/Order.cs", False),
        ("src/itest/java/shop/Steps.java", True),
        ("src/contractTest/kotlin/shop/Stub.kt", True),
        ("src/smoke-tests/java/shop/Run.java", True),
        ("src/latest/java/shop/Order.java", False),
    ],
)
def test_tests_are_recognised_by_the_convention_of_their_language(path: str, is_one: bool) -> None:
    assert is_test(path) is is_one


@pytest.mark.parametrize(
    ("path", "text", "is_one"),
    [
        ("shop/fixtures/joint.py", "import pytest\n", True),
        ("shop/fixtures/joint.py", "from pytest_asyncio import fixture\n", True),
        ("shop/rows.go", 'import (\n\t"testing"\n)\n', True),
        ("shop/orders.py", "import orders  # not pytest\n", False),
        ("shop/Orders.java", "import pytest\n", False),
    ],
)
def test_what_imports_a_library_for_tests_helps_them(path, text, is_one):
    assert helps_tests(path, text) is is_one


@pytest.mark.parametrize(
    ("code", "is_call"),
    [
        ("    val limit by settings()\n    get(\"/health\") { answer() }\n", True),
        ("    var limit = 1\n    set(\"limit\", limit)\n", True),
        ("    val limit: Int\n        get() = 1\n", False),
        ("    var limit: Int = 1\n        set(value: Int) { field = value }\n", False),
    ],
)  # fmt: skip
def test_a_call_behind_a_property_of_kotlin_is_no_accessor(code: str, is_call: bool) -> None:
    around = "fun f() {{\n{}}}\n" if is_call else "class A {{\n{}}}\n"
    tree = parse_tree("a.kt", around.format(code))

    assert not tree.has_error
    assert ("call_expression (identifier)" in str(tree)) is is_call
