"""How a system was tested: against a live server, the vendor's own classes, or its documentation only."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Maturity(StrEnum):
    """What the code for a system was run against."""

    LIVE = "live"
    VENDOR_VALIDATED = "vendor-validated"
    DOCUMENTED = "documented"


class Proof(NamedTuple):
    """How the code for one *system* was tested.

    *tested_with* is the version of the live server, or the vendor's classes or emulator; empty for DOCUMENTED.
    *evidence* is the path of a test or page in this project.
    """

    system: str
    maturity: Maturity = Maturity.DOCUMENTED
    tested_with: str = ""
    evidence: str = ""

    @property
    def experience(self) -> str:
        """Return how the system was tested, in words."""
        match self.maturity:
            case Maturity.LIVE:
                return f"run against {self.system} {self.tested_with}"
            case Maturity.VENDOR_VALIDATED:
                return f"experimental: validated by {self.tested_with}, never run against {self.system}"
            case Maturity.DOCUMENTED:
                return f"experimental: built from documentation, never run against {self.system}"


def live(system: str, version: str, evidence: str) -> Proof:
    """Return the proof of a system that was read live."""
    return Proof(system, Maturity.LIVE, version, evidence)


def validated(system: str, by: str, evidence: str) -> Proof:
    """Return the proof of a system whose requests or answers were validated by the vendor's classes or an emulator."""
    return Proof(system, Maturity.VENDOR_VALIDATED, by, evidence)


def experimental(proofs: tuple[Proof, ...]) -> str:
    """Return why a row with these *proofs* is experimental; empty if one of its systems was read live."""
    if not proofs or any(proof.maturity is Maturity.LIVE for proof in proofs):
        return ""
    return "; ".join(proof.experience for proof in proofs)
