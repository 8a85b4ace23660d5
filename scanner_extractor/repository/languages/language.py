"""What describes a programming language: its grammar, the meaning of its nodes, names and calls, its build files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from scanner_extractor.repository.syntax_trees import Grammar, words
from scanner_model.maturity import Proof, live

BINDING, DESTINATION = "binding\0", "destination\0"
CHANNEL_IN, CHANNEL_OUT = "incoming\0", "outgoing\0"
"""Prefixes of a name that settings map to a topic: a binding or destination of Spring Cloud Stream, a channel."""


class Access(StrEnum):
    """What a call does with a topic."""

    READ = "read"
    WRITE = "write"
    CREATE = "create"


class Rule(NamedTuple):
    """Which arguments of a call are topics: those from position *at* on (*several*: all of them), or one of *names*.

    *needs* is a pattern of the file, since names such as `send` and `stream` are common, *near* one of any file of the
    module. *on* is a pattern of the object that the method is called on; *made* limits the rule to constructors and
    literals. A negative *at* counts from the end; with *several*, a positive one counts from the first text.
    """

    access: Access
    at: int = 0
    names: tuple[str, ...] = ()
    needs: str = r"(?i)kafka|confluent|redpanda"
    near: str = ""
    on: str = ""
    several: bool = False
    streams: bool = False
    made: bool = False


class Note(NamedTuple):
    """What an annotation reads or writes: its arguments with topics, and the *prefix* that says what a name in them is.

    *sinks* are arguments of a reader with the topics that its results are sent to. *needs* is a pattern of the file,
    *near* one of any file of the module.
    """

    access: Access
    names: tuple[str, ...] = ()
    prefix: str = ""
    needs: str = ""
    near: str = ""
    sinks: tuple[str, ...] = ()


class Form(StrEnum):
    """How the expression of a node is read."""

    STRING = "string"
    JOINED = "joined"
    NAME = "name"
    MEMBER = "member"
    CALL = "call"
    METHOD = "method"
    NEW = "new"
    ITEMS = "items"
    ARRAY = "array"
    INDEX = "index"
    BINARY = "binary"
    CHOICE = "choice"
    INNER = "inner"
    BLOCK = "block"
    ARGUMENT = "argument"
    PAIR = "pair"
    NOTE = "note"
    SHORTHAND = "shorthand"


@dataclass(frozen=True, slots=True, kw_only=True)
class Nodes:
    """The nodes of a grammar, by their meaning; each set is empty if the language has no such thing.

    *types* are types whose members have no scope of their own, such as a struct of Go. *named_lambdas* are functions
    that are named by the variable they are assigned to. *variables*, *assignments*, *specifications* (several names,
    then several values) and *constants* (of an enumeration) bind names; *tagged* fields have a text beside them.
    *super_calls* call the constructor of the superclass. *containers* only hold definitions, *plain* nodes define
    constants of a file. *receiver* and *method* are the fields of a `Form.METHOD`: what is called upon, and the name.
    """

    expressions: Mapping[Form, frozenset[str]]
    classes: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()
    lambdas: frozenset[str] = frozenset()
    named_lambdas: frozenset[str] = frozenset()
    loops: frozenset[str] = frozenset()
    calls: frozenset[str] = frozenset()
    returns: frozenset[str] = frozenset()
    parameters: frozenset[str] = frozenset()
    parameter_lists: frozenset[str] = frozenset()
    argument_lists: frozenset[str] = frozenset()
    interpolations: frozenset[str] = frozenset()
    modifiers: frozenset[str] = frozenset()
    supertypes: frozenset[str] = frozenset()
    skipped: frozenset[str] = frozenset()
    variables: frozenset[str] = frozenset()
    assignments: frozenset[str] = frozenset()
    specifications: frozenset[str] = frozenset()
    constants: frozenset[str] = frozenset()
    super_calls: frozenset[str] = frozenset()
    tagged: frozenset[str] = frozenset()
    containers: frozenset[str] = frozenset()
    fields: frozenset[str] = frozenset()
    plain: frozenset[str] = frozenset()
    comments: frozenset[str] = frozenset()
    imports: frozenset[str] = frozenset()
    packages: frozenset[str] = frozenset()
    strings: frozenset[str] = frozenset()
    statements: frozenset[str] = frozenset()
    throws: frozenset[str] = frozenset()
    receiver: str = "object"
    method: str = "name"


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """What calls and names of a language mean for the value of an expression.

    *environment* calls read a variable of the environment by their first argument; *environment_objects* are the
    environment itself, and *lookups* read a member of it. *properties* look up a setting, *sections* a group of
    settings; *default_setters* set the default of one. *lists* return their arguments, *same* the object they are
    called on, *keys* those of a table, *defaults* that object or their argument, *parts* each element of a text,
    *formats* their first text with the others in it, *lower* a text in small letters. *appends* add their argument to
    a list. *topics* are classes whose first argument is a topic. *elements* call a function with each element.
    *options* define an option of the command with its default, *flags* return one. *settings_classes* take the values
    of their fields from the environment, as a field with a *tag_variable* does; *settings_notes* from settings below a
    prefix. *injected* are annotations of a field or parameter, by the argument that names the setting, or `""` if it
    is a text with placeholders.
    """

    environment: frozenset[str] = frozenset()
    environment_objects: frozenset[str] = frozenset()
    lookups: frozenset[str] = words("get []")
    properties: frozenset[str] = frozenset()
    default_setters: frozenset[str] = frozenset()
    sections: frozenset[str] = words("get []")
    lists: frozenset[str] = frozenset()
    same: frozenset[str] = frozenset()
    keys: frozenset[str] = frozenset()
    defaults: frozenset[str] = frozenset()
    appends: frozenset[str] = frozenset()
    parts: frozenset[str] = frozenset({"split"})
    formats: frozenset[str] = frozenset({"format"})
    placeholder: re.Pattern[str] = re.compile(r"%[sdv]|\{\w*\}")
    lower: frozenset[str] = frozenset()
    topics: frozenset[str] = frozenset()
    elements: frozenset[str] = frozenset()
    options: frozenset[str] = frozenset()
    option_notes: frozenset[str] = frozenset()
    flags: frozenset[str] = frozenset()
    flag_owners: frozenset[str] = frozenset()
    settings_classes: frozenset[str] = frozenset()
    settings_notes: frozenset[str] = frozenset()
    tag_variable: re.Pattern[str] | None = None
    tag_default: re.Pattern[str] | None = None
    injected: Mapping[str, str] = field(default_factory=dict)
    constructors: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """A programming language.

    *client_words* are names of client libraries, in small letters, that a file has which uses Kafka; *client_import*
    matches the import of a client that reads or writes records. *entry* matches the text of a file that starts a
    program; it is None for scripts, which all may. *build_files* have the pattern of the module's name, or None.
    *constructor_is_call*: a constructor is called as a function is. *own_parameters* are names of the first parameter
    of a method, for the object. *has_packages*: an import names a directory, and methods are defined outside of types.
    *proof* is which programs were read to test it.
    """

    name: str
    proof: Proof
    grammars: Mapping[str, Grammar]
    nodes: Nodes
    values: Values
    calls: Mapping[str, tuple[Rule, ...]]
    notes: Mapping[str, Note] = field(default_factory=dict)
    client_words: frozenset[str] = frozenset()
    client_import: re.Pattern[str] | None = None
    entry: re.Pattern[str] | None = None
    build_files: Mapping[str, re.Pattern[str] | None] = field(default_factory=dict)
    constructor_is_call: bool = False
    own_parameters: frozenset[str] = frozenset()
    has_packages: bool = False
    plain_interpolation: re.Pattern[str] | None = None
    pair_operators: frozenset[str] = frozenset()


def field_uses(programs: str, compared: str) -> Proof:
    """Return the proof of a language whose public programs were read by hand, to be compared with what is found."""
    return live(programs, compared, "tests/data/field_uses/truth.csv")
