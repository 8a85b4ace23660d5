"""Speaks to AWS Glue's Schema Registry through boto3, as an exchange like any other."""

from __future__ import annotations

from collections.abc import Callable

from scanner_extractor.aws_exchange import AwsService, Client, aws_exchange
from scanner_extractor.exchange import Exchange
from scanner_extractor.settings import GlueSettings, HttpSettings


def glue_exchange(settings: GlueSettings, http: HttpSettings, connect: Callable[[], Client] | None = None) -> Exchange:
    """Give an exchange as `aws_exchange` does, for the registries that *settings* name."""
    service = AwsService(
        name="glue",
        region=settings.region,
        profile=settings.profile,
        endpoint_url=settings.endpoint_url,
        member="glue",
        page="docs/sources/glue.md",
    )
    return aws_exchange(service, http, connect)
