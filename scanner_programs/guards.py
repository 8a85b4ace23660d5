"""Operators on values, and conditions: what holds where they do, and which of them decide nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import mod, mul, sub

from scanner_programs.calls import MOST_PARTS, all_parts
from scanner_programs.ir import Kind
from scanner_programs.libraries.standard import ERRORS, FAILED, TESTS
from scanner_programs.values import (
    FALSE,
    LONGEST_TEXT,
    NULL,
    TRUE,
    Apply,
    Closure,
    Cond,
    Const,
    Get,
    Input,
    Items,
    Method,
    Opaque,
    Ref,
    Shown,
    Thing,
    Type,
    Value,
)

_MOST_OF_TEST = 120
_MOST_IN_TEXT = 1000
_MOST_STEPS = 200
"""Parts of the value of an effect that are looked at for tests."""
_NAME = re.compile(r"[A-Za-z][\w.:-]{2,}")
LONGEST_TEST = 4_000
"""Characters of a condition that is compared with others."""
JOINS = frozenset(("&&", "||"))
"""Operators of conditions that are made of others."""
_MOST_WAYS = 2000
"""Ways in which a value may be one or another: what goes through all of them must end."""
_SAME = {"===": "==", "!==": "!=", "and": "&&", "or": "||", "not": "!", "is": "==", "is not": "!=", "~": "~"}
_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def operate(operator: str, operands: tuple[Value, ...]) -> Value:
    """Return an operator on values, in one form for all languages: constants folded, negations inside."""
    operator = _SAME.get(operator, operator)
    if operator == "!" and len(operands) == 1:
        return negate(operands[0])
    if operator in ("+", ".", "++") and len(operands) == 2:
        left, right = operands
        is_text = isinstance(left, Const) and isinstance(right, Const) and Kind.TEXT in (left.kind, right.kind)
        if is_text and NULL not in (left, right) and isinstance(left, Const) and isinstance(right, Const):
            if len(left.text) + len(right.text) > LONGEST_TEXT:
                return Opaque("a long text")
            return Const(Kind.TEXT, left.text + right.text)
        parts = [*_parts_of_text(left), *_parts_of_text(right)]
        if any(isinstance(one, Const) and one.kind is Kind.TEXT for one in parts) and NULL not in parts:
            return joined_text(operands)
        operator = "+"
    if operator in ("==", "!=", "<", "<=", ">", ">=") and (empty := _of_size(operator, operands)) is not None:
        return empty
    if operator in ("==", "!=") and all(isinstance(one, Const) for one in operands):
        is_same = operands[0] == operands[1]
        return TRUE if is_same == (operator == "==") else FALSE
    if operator in _ARITHMETIC and len(operands) == 2 and all(map(_is_small, operands)):
        first, second = (int(one.text) for one in operands if isinstance(one, Const))
        if operator != "%" or second > 0:
            return Const(Kind.NUMBER, str(_ARITHMETIC[operator](first, second)))
    if operator in ("&&", "||") and len(operands) == 2:
        stops = FALSE if operator == "&&" else TRUE
        known = [one for one in operands if one not in (TRUE, FALSE)]
        if len(known) == 2 and known[0] == known[1]:
            known.pop()
        if stops in operands:
            return stops
        if len(known) < 2:
            return known[0] if known else operands[0]
    if operator in (">", ">=") and len(operands) == 2:
        operator, operands = {">": "<", ">=": "<="}[operator], operands[::-1]
    return Apply(operator, None, operands)


def joined_text(parts: Iterable[Value]) -> Value:
    """Return a text of parts, those of texts in it among them, and constants beside each other as one."""
    joined: list[Value] = []
    for one in (each for part in parts for each in _parts_of_text(part)):
        if len(joined) > _MOST_IN_TEXT:
            return Opaque("a long text")
        is_known = isinstance(one, Const) and one != NULL  # what is missing is in the text in some form
        if is_known and isinstance(one, Const) and joined and isinstance(joined[-1], Const) and joined[-1] != NULL:
            if len(joined[-1].text) + len(one.text) > LONGEST_TEXT:
                return Opaque("a long text")
            joined[-1] = Const(Kind.TEXT, joined[-1].text + one.text)
        elif is_known and isinstance(one, Const):
            joined.append(Const(Kind.TEXT, one.text))
        else:
            joined.append(one)
    is_known = len(joined) == 1 and isinstance(joined[0], Const) and joined[0] != NULL
    return joined[0] if is_known else Apply("text", None, tuple(joined))


def _parts_of_text(value: Value) -> tuple[Value, ...]:
    """Return the parts of a text that is put together, or the value itself."""
    return value.arguments if isinstance(value, Apply) and value.of is None and value.name == "text" else (value,)


def _of_size(operator: str, operands: tuple[Value, ...]) -> Value | None:
    """Return whether a sequence is empty, if that is what a comparison of its size with a number is; None otherwise."""
    if len(operands) != 2:
        return None
    if operator in (">", ">="):
        operator, operands = {">": "<", ">=": "<="}[operator], operands[::-1]
    of = next((one for one in map(_sized, operands) if one is not None), None)
    form = (operator, *(one.text if isinstance(one, Const) else "" for one in operands))
    is_empty = form in (("==", "0", ""), ("==", "", "0"), ("<", "", "1"), ("<=", "", "0"))
    if of is None or not (is_empty or form in (("!=", "0", ""), ("!=", "", "0"), ("<", "0", ""), ("<=", "1", ""))):
        return None
    found = Apply("isEmpty", of)
    return found if is_empty else negate(found)


def _sized(value: Value) -> Value | None:
    """Return the sequence that a value is the size of; None for others."""
    match value:
        case Apply(name="size" | "length" | "Count" | "count" | "len", of=of, arguments=()) if of is not None:
            return of
        case Apply(name="len", of=None, arguments=(of,)) | Get(name="length" | "Length", of=of):
            return of
    return None


_ARITHMETIC: Mapping[str, Callable[[int, int], int]] = {"%": mod, "*": mul, "-": sub}
"""Operators on whole numbers that have one meaning in all languages where neither is negative."""


def _is_small(value: Value) -> bool:
    return isinstance(value, Const) and value.kind is Kind.NUMBER and value.text.isdigit() and len(value.text) < 9


def negate(value: Value) -> Value:
    """Return the opposite of a condition."""
    if value in (TRUE, FALSE):
        return FALSE if value == TRUE else TRUE
    if isinstance(value, Apply) and value.of is None:
        if value.name == "!":
            return value.arguments[0]
        if value.name in _OPPOSITE and len(value.arguments) == 2:
            return operate(_OPPOSITE[value.name], value.arguments)
    return Apply("!", None, (value,))


def choose(test: Value, then: Value, otherwise: Value) -> Value:
    """Return one of two values by a test, without the test where both are the same or are its answer."""
    if test == TRUE or then is otherwise:
        return then
    if test == FALSE:
        return otherwise
    then, otherwise = remaining(then, test, holds=True), remaining(otherwise, test, holds=False)
    if isinstance(then, Const) and then == otherwise:
        return then
    if isinstance(then, Get) and isinstance(otherwise, Get) and then.of is otherwise.of and then.name == otherwise.name:
        return then
    if {then, otherwise} == {TRUE, FALSE} if isinstance(then, Const) and isinstance(otherwise, Const) else False:
        return test if then == TRUE else negate(test)
    if then in (TRUE, FALSE) and is_test(otherwise):
        return operate("||", (test, otherwise)) if then == TRUE else operate("&&", (negate(test), otherwise))
    if otherwise in (TRUE, FALSE) and is_test(then):
        return operate("&&", (test, then)) if otherwise == FALSE else operate("||", (negate(test), then))
    if isinstance(test, Apply) and test.of is None and _is_opposite(test):
        test, then, otherwise = negate(test), otherwise, then
    found = Cond(test, then, otherwise)
    return found if found.size <= _MOST_WAYS else Opaque("one of many values", leaves_of(then, otherwise))


def _is_opposite(test: Apply) -> bool:
    """Return whether a test is written as the opposite of the one that stands for both: each has one form."""
    if test.name in ("==", "!="):
        return (test.name == "==") == (NULL in test.arguments)
    return test.name in ("!", "<=")


def leaves_of(*values: Value) -> tuple[Value, ...]:
    """Return the values that one is chosen from, each once; no more than others can go through."""
    waiting, seen, found = list(values), set[int](), list[Value]()
    while waiting and len(found) < _MOST_OF_TEST:
        value = waiting.pop()
        if id(value) not in seen:
            seen.add(id(value))
            if isinstance(value, Cond):
                waiting += (value.then, value.otherwise)
            else:
                found.append(value)
    return tuple(found)


def remaining(value: Value, test: Value, *, holds: bool) -> Value:
    """Return what is left of a value where a condition holds, or does not hold."""
    opposite = negate(test)
    while isinstance(value, Cond) and (_may_be(value.test, test) or _may_be(value.test, opposite)):
        if value.test is not test:
            own, same, other = _texts(value.test)[0], *_texts(test)
            if not (own and same and own in (same, other)):  # conditions too long to be compared, or others
                break
            value = value.then if (own == same) == holds else value.otherwise
        else:
            value = value.then if holds else value.otherwise
    return value


def _texts(test: Value) -> tuple[str, str]:
    """Return the texts of a condition and of its opposite, as they were at first; empty if they are too long."""
    memo = test.memo if isinstance(test, Apply | Get | Cond) else {}
    if None not in memo and isinstance(test, Apply) and test.of is None and test.name in JOINS:
        parts = sorted(_texts(one)[0] for one in test.arguments)  # which are parts of other conditions, too
        text = f"{test.name}({', '.join(parts)})"
        memo[None] = (text, f"!({text})") if all(parts) and len(text) <= LONGEST_TEST else ("", "")
    if None not in memo:
        shown = Shown(_MOST_OF_TEST * 2)
        texts = shown.text(test), shown.text(negate(test))
        memo[None] = texts if shown.left >= 0 else ("", "")
    return memo[None]


def _may_be(one: Value, other: Value) -> bool:
    """Return whether two values may have one text, by the names that it ends in: most texts need not be made."""
    if isinstance(one, Apply | Get) and isinstance(other, Apply | Get):
        return type(one) is type(other) and one.name == other.name and (one.of is None) == (other.of is None)
    return True


def conjuncts(test: Value) -> Iterator[Value]:
    """Yield a condition, and the conditions that hold where it does."""
    yield test
    if isinstance(test, Apply) and test.of is None and test.name == "&&":
        for one in test.arguments:
            yield from conjuncts(one)


def parts_of_test(test: Value) -> Iterator[Value]:
    """Yield the conditions that a condition is made of, which all have to hold."""
    match test:
        case Apply(name="&&", of=None, arguments=parts):
            for one in parts:
                yield from parts_of_test(one)
        case Apply(name="!", of=None, arguments=(Apply(name="||", of=None, arguments=parts),)):
            for one in parts:
                yield from parts_of_test(negate(one))
        case _:
            yield test


def is_test(value: Value) -> bool:
    """Return whether a value is the answer to a question: yes or no."""
    return value in (TRUE, FALSE) or (isinstance(value, Apply) and value.of is None and value.name in TESTS)


def deciding_tests(value: Value) -> Iterator[Value]:
    """Yield the tests that an unknown call is given, and those in what it is a call of: one may make it fail.

    Whether something is there, or has a class, is left out: such a test makes sure, and decides nothing.
    """
    waiting: list[Value] = [value]
    for _ in range(_MOST_STEPS):
        if not waiting:
            return
        one = waiting.pop()
        if is_test(one):
            if not isinstance(one, Const) and not is_fixed(one) and not is_of_presence(one):
                yield one
        elif isinstance(one, Apply):
            waiting += [*one.arguments, *([one.of] if one.of is not None else [])]


def is_of_presence(test: Value) -> bool:
    """Return whether a test is only whether something is there, or has a class."""
    match test:
        case Apply(name="instanceof" | "is" | "isinstance"):
            return True
        case Apply(name="!", arguments=(inner,)):
            return is_of_presence(inner)
        case Apply(name="==" | "!=", arguments=arguments):
            return NULL in arguments
        case Apply(name="&&" | "||", arguments=arguments):
            return all(map(is_of_presence, arguments))
    return False


def is_failure(test: Value) -> bool | None:
    """Return whether a test holds if an unknown call has failed, as in `err != nil`; None for other tests."""
    if isinstance(test, Apply) and test.of is None and test.name == "!=" and NULL in test.arguments:
        other = next((one for one in test.arguments if one != NULL), NULL)
        if isinstance(other, Apply) and other.name.startswith("#"):
            return True
    return None


def is_turn(guard: Value) -> bool:
    """Return whether a condition is only that of a loop."""
    return isinstance(guard, Apply) and guard.name in ("for", "while")


def is_fixed(test: Value) -> bool:
    """Return whether a test is of constants and of lengths of lists only."""
    match test:
        case Const() | Ref(name="a list"):
            return True
        case Apply(of=of, arguments=arguments):
            parts = [*arguments, *([of] if of is not None else [])]
            return bool(parts) and all(map(is_fixed, parts))
        case Get(of=of):
            return is_fixed(of)
    return False


def is_present(value: Value) -> Value:
    """Return whether a value is not missing, as far as that is known."""
    match value:
        case Thing() | Items() | Closure() | Method() | Type() | Apply(of=None, name="enum"):
            return TRUE
        case Apply(of=None, name=name) if name.replace("::", ".") in ERRORS:
            return TRUE
        case Apply() if is_failed(value):
            return FALSE
        case Const():
            return FALSE if value == NULL else TRUE
        case Cond(test=test, then=then, otherwise=otherwise):
            return choose(test, is_present(then), is_present(otherwise))
    return operate("!=", (value, NULL))


def is_failed(value: Value) -> bool:
    """Return whether a value is a result that has a failure instead of a value, whatever is called on it."""
    while isinstance(value, Apply) and value.of is not None:
        value = value.of
    return isinstance(value, Apply) and value.name in FAILED and bool(value.arguments)


def without_missing(value: Value) -> Value | None:
    """Return a value that is one of several without those that are missing or a failure; None if all of them are."""
    if not isinstance(value, Cond):
        return None if value == NULL or is_failed(value) else value
    then, otherwise = without_missing(value.then), without_missing(value.otherwise)
    if then is None or otherwise is None:
        return otherwise if then is None else then
    is_same = then is value.then and otherwise is value.otherwise
    return value if is_same else choose(value.test, then, otherwise)


def truth(value: Value, *, has_elements: bool = False) -> Value:
    """Return an object as a condition: whether it is there, or, with *has_elements*, a list as whether it has any."""
    if isinstance(value, Apply) and value.of is None and value.name == "!" and len(value.arguments) == 1:
        return negate(truth(value.arguments[0], has_elements=has_elements))
    if isinstance(value, Apply) and value.of is None and value.name == "??" and len(value.arguments) == 2:
        return operate("||", tuple(truth(one, has_elements=has_elements) for one in value.arguments))  # one is there
    if has_elements and isinstance(value, Items):
        return operate("<", (Const(Kind.NUMBER, "0"), Apply("len", None, (value,))))
    ways = [value]
    while any(isinstance(one, Cond) for one in ways):
        ways = [each for one in ways for each in ((one.then, one.otherwise) if isinstance(one, Cond) else (one,))]
    is_object = all(one == NULL or isinstance(one, Thing | Items | Closure | Method) for one in ways)
    return is_present(value) if is_object else value


def is_topic(value: Value) -> bool:
    """Return whether a value is the topic of a record."""
    is_method = isinstance(value, Apply) and value.of is not None and not value.arguments
    return (is_method or isinstance(value, Get)) and value.name.lower() in ("topic", "gettopic")  # type: ignore[union-attr]


def compares_topic(test: Value) -> bool:
    """Return whether a condition is about the topic that a record came from."""
    if not isinstance(test, Apply) or test.of is not None or test.name not in ("==", "!=", "&&", "||"):
        return False
    return any(is_topic(one) or compares_topic(one) for one in test.arguments)


def settings_named(values: Iterable[Value]) -> frozenset[str]:
    """Return the names in values that a setting may have which is not known: of settings, and of what has them.

    Those are texts that calls are given, and members of objects that no parameter of a function brings.
    """
    found: set[str] = set()
    for count, value in enumerate(all_parts(values)):
        if count >= MOST_PARTS:
            break
        if isinstance(value, Apply):
            found.update(one.text for one in value.arguments if isinstance(one, Const) and _NAME.fullmatch(one.text))
        if isinstance(value, Get):
            root: Value | None = value
            while isinstance(root, Get | Apply) and root.of is not None:
                root = root.of
            if not (isinstance(root, Input) and root.place[:1].isdigit()):
                found.add(value.name)
        elif isinstance(value, Ref) and "." in value.name:
            found.add(value.name.rpartition(".")[2])
    return frozenset(found)
