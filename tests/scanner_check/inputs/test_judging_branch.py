"""What judges a change is what the target branch has now, as git stores it, whatever the branch of the change has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from committed_repository import commit_all, git

from scanner_check.inputs.options import read_judging
from scanner_model.errors import InputInvalid

POLICY = json.dumps(
    {"cluster": "c", "brokers": ["k:1"], "policy": {"forbidden": [{"tag": "PII", "systems": ["s3://*"]}]}}
)


def repository(root: Path, files: dict[str, str]) -> None:
    git(root, "init", "-q", "-b", "main")
    for name, text in files.items():
        (root / name).write_text(text)
    commit_all(root)
    git(root, "checkout", "-qb", "change")


def test_a_policy_that_is_newer_than_the_branch_counts(tmp_path: Path) -> None:
    repository(tmp_path, {"a.txt": "a"})
    git(tmp_path, "checkout", "-q", "main")
    (tmp_path / "cluster.json").write_text(POLICY)
    (tmp_path / ".scanner.yaml").write_text("policy: cluster.json\n")
    commit_all(tmp_path)
    git(tmp_path, "checkout", "-q", "change")
    (tmp_path / "b.txt").write_text("b")
    commit_all(tmp_path)

    judging = read_judging("main...change", tmp_path)

    assert [rule.tag for rule in judging.policy.forbidden] == ["PII"]
    assert judging.changes == ()  # the change does not edit what it does not have


def test_a_policy_that_is_a_link_is_refused(tmp_path: Path) -> None:
    """The file that it leads to may be one of the work tree, which the change brings along."""
    (tmp_path / "cluster.json").symlink_to("other.json")
    repository(tmp_path, {".scanner.yaml": "policy: cluster.json\n", "other.json": POLICY})
    (tmp_path / "other.json").write_text(POLICY.replace("PII", "NONE"))
    commit_all(tmp_path)

    with pytest.raises(InputInvalid, match="symbolic link"):
        read_judging("main...change", tmp_path)
