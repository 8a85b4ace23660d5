"""Statements that move no data, and change how later ones are read."""

from __future__ import annotations

from dataflow_generator.sql.catalog import Session
from dataflow_generator.sql.definitions import altered, declared, expanded_type
from dataflow_generator.sql.nodes import Alteration, Definition, Removal, Setting, Statement, TypeDefinition


def apply(found: Statement, session: Session, *, flink: bool) -> None:
    """Change *session* as *found* says; most statements change nothing."""
    match found:
        case Definition():
            session.define(found.name, declared(found, session, flink=flink))
        case Removal():
            session.drop(found.name)
        case Alteration():
            _alter(found, session, flink=flink)
        case TypeDefinition():
            session.types[found.name] = expanded_type(found.type, session.types)
        case Setting():
            _set(found, session)


def _alter(found: Alteration, session: Session, *, flink: bool) -> None:
    known = session.table(found.name)
    if known is None:
        return
    if found.new_name:
        session.drop(found.name)
    session.define(found.new_name or found.name, altered(known, found, session, flink=flink))


def _set(found: Setting, session: Session) -> None:
    match found.what:
        case "catalog":
            session.use(catalog=found.value)
        case "database":
            session.use(database=found.value)
        case _ if found.value:
            session.variables[found.name.lower()] = found.value[0]
        case _:
            session.variables.pop(found.name.lower(), None)
