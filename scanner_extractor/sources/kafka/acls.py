"""Read the brokers' rules of access to topics (DescribeAcls). Needs DESCRIBE on the cluster."""

from __future__ import annotations

from scanner_extractor.http.messages import Json
from scanner_extractor.results import FactsResult
from scanner_extractor.settings.clients import AclSettings
from scanner_extractor.sources.kafka.client import KafkaClient
from scanner_model.clients import AclAuthorizer, AclRule
from scanner_model.errors import InputInvalid, Problem
from scanner_model.scan import SourceResult, SourceStatus

DOCUMENT = "acls"
"""The name under which a capture holds the rules."""

_MEMBERS = ("pattern_type", "name", "principal", "host", "operation", "permission")


def load_acls(settings: AclSettings, client: KafkaClient | None = None) -> Json:
    """Return the rules of access to topics as JSON, sorted; `rules` is null where the brokers have no authorizer.

    Raises SourceRefused without the right to DESCRIBE the cluster, SourceUnreachable where no broker answers.
    """
    rules = (client or KafkaClient(settings.kafka)).acls()
    return {"rules": None if rules is None else sorted(rules)}


def read_acls(document: Json, settings: AclSettings) -> FactsResult:
    """Return the rules and the authorizer; raises InputInvalid for a damaged capture.

    No rule at all is said: where access is decided elsewhere, as by RBAC, IAM or Ranger, the list is as empty.
    """
    try:
        listed = document["rules"]
        rules = tuple(
            AclRule(source=settings.source, **dict(zip(_MEMBERS, rule, strict=True))) for rule in listed or ()
        )
    except (KeyError, TypeError, ValueError) as error:
        hint = "record the capture again"
        raise InputInvalid("damaged document in the capture", where=str(settings.source), hint=hint) from error
    authorizer = AclAuthorizer(
        source=settings.source,
        active=listed is not None,
        super_users=settings.super_users,
        allow_everyone=settings.allow_everyone,
    )
    return FactsResult(
        outcome=SourceResult(
            source=settings.source,
            kind="acls",
            status=SourceStatus.READ,
            received=len(rules),
            requested=len(rules),
            requests=1,
        ),
        facts={"acl_rules": rules, "acl_authorizers": (authorizer,)},
        problems=(Problem(str(settings.source), *_remark(listed)),) if not rules else (),
    )


def _remark(listed: Json) -> tuple[str, str]:
    if listed is None:
        return "the brokers have no authorizer: every client may read and write every topic", ""
    what = "the brokers list no rule of access to topics"
    return what, "is access decided elsewhere (RBAC, IAM, Ranger)? then leave `acls` out"
