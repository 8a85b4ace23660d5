"""The kinds of source that are a part of cluster.json itself: applications, personal data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scanner_extractor.config.applications import APPLICATIONS_SECTION, ApplicationSettings, read_mapping
from scanner_extractor.config.personal_data import (
    PERSONAL_DATA_SECTION,
    PersonalDataSettings,
    read_personal_data,
)
from scanner_extractor.source_kind import (
    METRICS,
    SourceKind,
)

if TYPE_CHECKING:
    pass


APPLICATIONS = SourceKind(
    name="applications",
    phase=METRICS,
    section=APPLICATIONS_SECTION,
    settings=ApplicationSettings,
    read=lambda settings, _, __: read_mapping(settings),
    check=lambda _, __: (),
)

PERSONAL_DATA = SourceKind(
    name="personal_data",
    phase=METRICS,
    section=PERSONAL_DATA_SECTION,
    settings=PersonalDataSettings,
    read=lambda settings, _, __: read_personal_data(settings),
    check=lambda _, __: (),
)
