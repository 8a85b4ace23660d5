"""What the targets on AWS share: their place, and requests that boto3 signs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from scanner_extractor.config.aws import aws_url, transport_to_aws
from scanner_extractor.http.aws import Client
from scanner_extractor.http.messages import Json, Transport
from scanner_extractor.settings.push import PushSettings


def aws_address(item: Json) -> str:
    """Return the address of the service that an item of cluster.json names."""
    return aws_url(item["target"], item)


def with_place(settings: PushSettings, item: Json) -> PushSettings:
    """Return *settings* with what tells apart two catalogs of one region."""
    return replace(settings, place=" ".join(item[name] for name in ("domain", "profile") if name in item))


def aws_exchange(settings: PushSettings, connect: Callable[[], Client] | None = None) -> Transport:
    """Return a transport that signs with boto3; *connect* replaces its client in tests."""
    page = "docs/how-to/push.md"
    return transport_to_aws(settings.target, settings.options, settings.http, member="push", page=page, connect=connect)
