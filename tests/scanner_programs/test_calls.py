"""What a program wraps its logger in is not followed at each call; whatever changes something else is."""

from __future__ import annotations

import pytest

from scanner_programs.calls import Quiet
from scanner_programs.machine import watches
from scanner_programs.program import Program

GO = """
package shop
import (
	"fmt"
	"sort"
	log "github.com/sirupsen/logrus"
)
var total int
func fields(given []interface{}) log.Fields {
	found := log.Fields{}
	for i := 1; i < len(given); i += 2 { found[fmt.Sprint(given[i-1])] = given[i] }
	return found
}
func logged(level log.Level, given ...interface{}) { log.WithFields(fields(given)).Log(level, fmt.Sprint(given...)) }
func info(given ...interface{}) { logged(log.InfoLevel, given...) }
func count(given ...interface{}) { total = total + 1; log.Info(given...) }
func ordered(given []string) { sort.Strings(given); log.Info(given) }
func run(given func()) { log.Info("run"); given() }
func shown(order Order) { log.Info(order.ID) }
func named(order Order) string { log.Info("named"); return "a" }
type Order struct { ID string }
"""
PYTHON = """
import logging
logger = logging.getLogger(__name__)
seen = []
def note(message, *values):
    text = ""
    for one in values:
        text = text + str(one)
    logger.info("%s %s", message, text)
def keep(message):
    seen.append(message)
    logger.info(message)
def check(message):
    if not message:
        raise ValueError("empty")
    logger.info(message)
def fill(order):
    order["noted"] = True
    logger.info("noted")
"""
JAVA = """
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
class Notes {
    private static final Logger LOG = LoggerFactory.getLogger(Notes.class);
    private int calls;
    void note(String what, Object... values) { String text = String.format(what, values); LOG.info(text); }
    void counted(String what) { this.calls = this.calls + 1; LOG.info(what); }
    void done(Runnable then) { LOG.info("done"); then.run(); }
}
"""


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("shop.go", GO, {"logged", "info"}),
        ("notes.py", PYTHON, {"note"}),
        ("Notes.java", JAVA, {"note"}),
    ],
    ids=["Go", "Python", "Java"],
)
def test_only_what_returns_nothing_and_changes_nothing_is_quiet(lowered, path, text, expected) -> None:
    """Not what counts, sorts, keeps or fills what it is given, calls it, fails, reads a field, or has a result."""
    program = Program((lowered(path, text),), lambda _: None, lambda _: None)
    quiet = Quiet(program, watches)
    functions = [place.function for place in program.places if place.function.name]
    assert {one.name for one in functions if quiet.is_quiet(one)} == expected


def test_a_wrapper_of_a_logger_does_not_use_up_what_a_program_may_take(sends) -> None:
    """Each of many calls costs as much as one of the logger itself."""
    calls = "\n".join(f'\tinfo("step", {at})' for at in range(400))
    main = (
        'package shop\nimport "github.com/segmentio/kafka-go"\nfunc send(w *kafka.Writer, id string) {\n'
        f'{calls}\n\tw.WriteMessages(ctx, kafka.Message{{Topic: "orders", Value: []byte(id)}})\n}}\n'
    )
    found = sends({"shop.go": GO, "send.go": main})
    assert [one.topics for one in found.contracts if one.view == "send"] == [("orders",)]
    assert found.steps < 10_000
