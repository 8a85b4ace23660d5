"""cluster.json: read, filled in from the environment, and judged whole; every problem is reported at once."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from importlib.resources import files
from itertools import chain
from pathlib import Path

from scanner_extractor.cluster_judge import Judge, warnings_of
from scanner_extractor.cluster_settings import settings_of
from scanner_extractor.exchange import Json
from scanner_extractor.settings import Settings
from scanner_extractor.substitution import Filled, filled
from scanner_model.complaints import Complaint
from scanner_model.errors import InputInvalid
from scanner_model.places import placed_problems, read_placed, schema_complaints
from scanner_model.redaction import mask_json


def cluster_schema() -> Json:
    """Give the JSON Schema of cluster.json, for editors and validators."""
    return json.loads(files("scanner_extractor").joinpath("cluster.schema.json").read_text("utf-8"))


def read_cluster_file(
    path: Path, environment: Mapping[str, str], registry_types: Collection[str], *, replayed: bool = False
) -> Settings:
    """Read the settings of one cluster; *registry_types* are the kinds of schema registry that may be named.

    *replayed*: a capture holds what files say of jobs, so they need not be there. Raises one InputInvalid that lists
    every problem with line, column and JSON path. It shows the names of variables, never what they hold.
    """
    document = read_placed(_text(path), str(path))
    filling = filled(document.value, environment, path.parent)
    shown = replace(document, value=mask_json(document.value))
    judge = Judge(filling.value, shown, path.parent, registry_types, present=not replayed)
    found = [*filling.complaints, *_complaints(filling, judge)]
    if found:
        raise InputInvalid.listing(tuple(placed_problems(found, shown)))
    return settings_of(filling.value, path, tuple(placed_problems(warnings_of(filling.value), shown)))


def _complaints(filling: Filled, judge: Judge) -> Iterator[Complaint]:
    """Judge form and meaning, but nothing that could not be filled in."""
    from jsonschema import Draft202012Validator

    blank = {path for path, _, _ in filling.complaints}
    form = schema_complaints(Draft202012Validator(cluster_schema()).iter_errors(filling.value), judge.shown)
    return (complaint for complaint in chain(form, judge.complaints()) if complaint[0] not in blank)


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputInvalid(f"not UTF-8 at byte {error.start}", where=str(path), hint="save it as UTF-8") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", "") or "no file can have this name"
        raise InputInvalid(f"cannot be read: {reason}", where=str(path), hint="name a cluster.json") from error
