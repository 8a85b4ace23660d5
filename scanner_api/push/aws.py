"""What the targets on AWS share: members of cluster.json, and requests that boto3 signs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from scanner_extractor.catalogs.aws import aws_settings, aws_url
from scanner_extractor.config.sections import nonempty, text
from scanner_extractor.http.aws import AwsService, Client, aws_transport
from scanner_extractor.http.messages import Json, Transport
from scanner_extractor.settings.push import PushSettings
from scanner_extractor.settings.sources import AwsSettings

AWS_MEMBERS: Mapping[str, Json] = {
    "region": text("Region", "Glue, DataZone: the AWS region.", "eu-central-1", pattern="^[a-z0-9-]+$"),
    "profile": nonempty("Profile", "Glue, DataZone: a profile of the AWS configuration files."),
    "endpoint_url": text("Endpoint", "Glue, DataZone: an endpoint other than the region's public one."),
}


def aws_address(item: Json) -> str:
    """Return the address of the service that an item of cluster.json names."""
    return aws_url(item["target"], aws_settings(item))


def with_region(settings: PushSettings, item: Json) -> PushSettings:
    """Return *settings* with the place of the service."""
    return replace(settings, aws=aws_settings(item))


def aws_exchange(settings: PushSettings, connect: Callable[[], Client] | None = None) -> Transport:
    """Return a transport to Glue or DataZone that signs with boto3; *connect* replaces its client in tests."""
    aws = settings.aws or AwsSettings(region="")
    service = AwsService(
        name=settings.target,
        region=aws.region,
        profile=aws.profile,
        endpoint_url=aws.endpoint_url,
        member="push",
        page="docs/how-to/push.md",
    )
    return aws_transport(service, settings.http, connect)
