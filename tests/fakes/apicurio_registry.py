"""A fake of Apicurio's core API: an exchange that answers as a server 3.0.9 was seen to, and 2.x is documented to."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit


@dataclass(frozen=True, kw_only=True)
class Held:
    """One version; an empty *group* is the default one. *more* are further members of it, *about* of its artifact."""

    artifact: str
    text: str
    label: str = "1"
    group: str = ""
    type: str = "AVRO"
    state: str = "ENABLED"
    references: tuple[dict[str, str], ...] = ()
    global_id: int = 0
    content_id: int = 0
    more: dict[str, Any] = field(default_factory=dict)
    about: dict[str, Any] = field(default_factory=dict)


@dataclass(kw_only=True)
class Apicurio:
    """What the server knows; *exports*: this user may export. *said* are answers by path instead of its own."""

    held: tuple[Held, ...] = ()
    api: str = "v3"
    exports: bool = True
    page: int = 1000
    said: dict[str, tuple[int, Any]] = field(default_factory=dict)
    log: list[str] = field(default_factory=list)

    def __call__(self, method: str, url: str) -> tuple[int, bytes]:
        """Return status and body."""
        parts = urlsplit(url)
        self.log.append(parts.path)
        base = f"/apis/registry/{self.api}/"
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        steps = [unquote(step) for step in parts.path.removeprefix(base).split("/")]
        path = "/".join(steps)
        known = parts.path.startswith(base)
        status, value = self.said[path] if path in self.said else self.answer(steps, query) if known else self.missing()
        return status, value if isinstance(value, bytes) else json.dumps(value).encode()

    def answer(self, steps: list[str], query: dict[str, str]) -> tuple[int, Any]:
        """Answer a GET below the API's path."""
        match steps:
            case ["admin", "export"] if self.api == "v3":
                return (200, self.archive()) if self.exports else (403, {"title": "User is not authorized"})
            case ["search", "versions"] if self.api == "v3":
                ordered = sorted(self.held, key=lambda held: held.global_id)
                return 200, self.window("versions", [self.version(held) for held in ordered], query)
            case ["search", "artifacts"]:
                return 200, self.window("artifacts", list(map(self.artifact, self.artifacts())), query)
            case ["ids", "contentIds", number, *rest]:
                # The text of a draft has no address of this kind.
                shared = [held for held in self.held if str(held.content_id) == number and held.state != "DRAFT"]
                return self.content(shared, rest)
            case ["groups", group, "artifacts", artifact, "versions"]:
                return 200, self.window("versions", list(map(self.version, self.of(group, artifact))), query)
            case ["groups", group, "artifacts", artifact, "versions", label, *rest]:
                own = [h for h in self.of(group, artifact) if h.label == label and h.state != "DISABLED"]
                return self.content(own, [] if rest == ["content"] else rest)
        return self.missing()

    def missing(self) -> tuple[int, Any]:
        """Report that there is nothing, as version 3 does."""
        return 404, {"detail": "NotFoundException: nothing", "title": "nothing", "status": 404, "name": "x"}

    def content(self, held: list[Held], rest: list[str]) -> tuple[int, Any]:
        """Return a text or its references."""
        if not held:
            return self.missing()
        references = [
            {k: v for k, v in reference.items() if (k, v) != ("groupId", "default")} for reference in held[0].references
        ]
        return 200, references if rest == ["references"] else held[0].text.encode()

    def window(self, name: str, entries: list[Any], query: dict[str, str]) -> dict[str, Any]:
        """Cut a page out; a limit above the maximum is clamped without a word."""
        offset, limit = int(query.get("offset", 0)), min(int(query.get("limit", 20)), self.page)
        return {"count": len(entries), name: entries[offset : offset + limit]}

    def of(self, group: str, artifact: str) -> list[Held]:
        """List an artifact's versions."""
        return [held for held in self.held if (held.group or "default", held.artifact) == (group, artifact)]

    def artifacts(self) -> list[Held]:
        """List the first version of each artifact."""
        first: dict[tuple[str, str], Held] = {}
        for held in self.held:
            first.setdefault((held.group, held.artifact), held)
        return list(first.values())

    def version(self, held: Held) -> dict[str, Any]:
        """Write an entry of a list of versions."""
        ids = {"globalId": held.global_id, "contentId": held.content_id, "version": held.label, "state": held.state}
        if self.api == "v2":
            return {**ids, "type": held.type, "createdBy": "", "labels": [], "references": [], **held.more}
        group = {"groupId": held.group} if held.group else {}
        return {**ids, **group, "artifactId": held.artifact, "artifactType": held.type, "owner": "", **held.more}

    def artifact(self, held: Held) -> dict[str, Any]:
        """Write an entry of the list of artifacts."""
        names = ("id", "type", "createdBy") if self.api == "v2" else ("artifactId", "artifactType", "owner")
        group = {"groupId": held.group} if held.group else {}
        return {**group, **dict(zip(names, (held.artifact, held.type, ""), strict=True)), **held.about}

    def archive(self) -> bytes:
        """Write the export."""
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("manifest-1.Manifest.json", "{}")
            for held in {held.content_id: held for held in self.held}.values():
                references = json.dumps(held.references) if held.references else None
                members = {"contentId": held.content_id, "artifactType": None, "serializedReferences": references}
                archive.writestr(f"content/{held.content_id}.Content.json", json.dumps(members))
                archive.writestr(f"content/{held.content_id}.Content.data", held.text.encode())
            for held in self.artifacts():
                members = {"groupId": held.group or "default", "artifactId": held.artifact, "artifactType": held.type}
                location = f"groups/{held.group or 'default'}/artifacts/{held.artifact}"
                archive.writestr(
                    f"{location}/MetaData.Artifact.json", json.dumps({**members, "name": None, **held.about})
                )
            for held in self.held:
                version = {k: v for k, v in self.version(held).items() if k != "artifactType"}
                members = {"labels": None, **version, "groupId": held.group or "default", "versionOrder": 1}
                location = f"groups/{held.group or 'default'}/artifacts/{held.artifact}/versions/{held.label}"
                archive.writestr(f"{location}.ArtifactVersion.json", json.dumps(members))
        return file.getvalue()
