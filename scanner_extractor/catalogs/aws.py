"""Catalogs of AWS: their settings in cluster.json and the service that answers."""

from __future__ import annotations

from scanner_extractor.http.aws import AwsService
from scanner_extractor.http.messages import Json
from scanner_extractor.settings.sources import AwsSettings, CatalogSettings
from scanner_model.errors import InputInvalid


def aws_service(settings: CatalogSettings, name: str, page: str) -> AwsService:
    """Return the AWS service of a catalog; raises InputInvalid where the settings do not locate it."""
    if not settings.aws:
        raise InputInvalid(f"a catalog of type {settings.type} needs a region", where=str(settings.source))
    return AwsService(
        name=name,
        region=settings.aws.region,
        profile=settings.aws.profile,
        endpoint_url=settings.aws.endpoint_url,
        member="catalogs",
        page=page,
    )


def aws_settings(item: Json) -> AwsSettings:
    """Return where a service of AWS is, as a valid *item* states it."""
    return AwsSettings(**{name: item[name] for name in ("region", "profile", "endpoint_url") if name in item})


def aws_url(service: str, aws: AwsSettings) -> str:
    """Return the address of a service: the one that the settings name, or that of the region."""
    return aws.endpoint_url or f"https://{service}.{aws.region}.amazonaws.com"
