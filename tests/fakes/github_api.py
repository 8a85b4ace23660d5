"""A fake of GitHub's REST API for comments and labels of one pull request: pages, tokens of workflows, forks.

Answers are those that docs.github.com documents for `issues/{number}/comments`, `issues/comments/{id}`, `labels`
and `user`; the token of a workflow may not ask `user`, that of a fork may not write.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from loopback import Asked

Json = Any
BOT = "github-actions[bot]"
_FORBIDDEN = 403, {"message": "Resource not accessible by integration", "status": "403"}


@dataclass
class PullRequest:
    """Pull request 7 of acme/shop; *login* is a person's token, empty for that of a workflow."""

    comments: list[Json] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    login: str = ""
    is_fork: bool = False

    def add(self, body: str, login: str = BOT) -> Json:
        """Add a comment of somebody."""
        comment = {"id": len(self.comments) + 1, "user": {"login": login}, "body": body}
        self.comments.append(comment)
        return comment

    def answer(self, asked: Asked) -> tuple[int, Json]:
        """Answer one request."""
        url = urlsplit(asked.path)
        page = {name: int(values[0]) for name, values in parse_qs(url.query).items()}
        size, number = page.get("per_page", 30), page.get("page", 1)
        part = slice((number - 1) * size, number * size)
        body = json.loads(asked.body or b"null")
        match asked.method, url.path:
            case "GET", "/user":
                return (200, {"login": self.login}) if self.login else _FORBIDDEN
            case "GET", "/repos/acme/shop/issues/7/labels":
                return 200, [{"name": name} for name in self.labels][part]
            case "GET", "/repos/acme/shop/issues/7/comments":
                return 200, self.comments[part]
            case (("POST" | "PATCH"), _) if self.is_fork:
                return _FORBIDDEN
            case "POST", "/repos/acme/shop/issues/7/comments":
                return 201, self.add(body["body"], self.login or BOT)
            case "PATCH", path if path.startswith("/repos/acme/shop/issues/comments/"):
                comment = self.comments[int(path.rpartition("/")[2]) - 1]
                comment["body"] = body["body"]
                return 200, comment
        return 404, {"message": "Not Found", "status": "404"}
