"""Services of AWS in cluster.json: the members that locate one, its address, and what sends its requests."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from scanner_extractor.config.sections import nonempty, text
from scanner_extractor.http.aws import AwsService, Client, aws_transport
from scanner_extractor.http.messages import Json, Transport
from scanner_extractor.settings.cluster import HttpSettings

AWS_MEMBERS: Mapping[str, Json] = {
    "region": text("Region", "AWS region; required.", "eu-central-1", pattern="^[a-z0-9-]+$"),
    "profile": nonempty("Profile", "Profile in the AWS configuration files; the default credentials by default."),
    "endpoint_url": text(
        "Endpoint",
        "Another endpoint than the region's public one, such as a VPC endpoint.",
        "https://vpce-1.execute-api.eu-central-1.vpce.amazonaws.com",
        format="web address",
    ),
}

_LOGIN = re.compile(r"//[^/?#]*@")


def aws_url(service: str, options: Json) -> str:
    """Return the address of a service: the endpoint that the *options* name, or that of their region."""
    return str(options.get("endpoint_url") or f"https://{service}.{options.get('region', '')}.amazonaws.com")


def aws_place(options: Json, *rest: str) -> str:
    """Return what distinguishes two places of a service: endpoint or region, profile, and the non-empty *rest*."""
    return ":".join(filter(None, (aws_endpoint(options), options.get("profile"), *rest)))


def aws_endpoint(options: Json) -> str:
    """Return the endpoint that *options* name, without credentials, because it is stored; else their region."""
    return _LOGIN.sub("//", str(options.get("endpoint_url", options["region"])))


def transport_to_aws(
    name: str, options: Json, http: HttpSettings, *, member: str, page: str, connect: Callable[[], Client] | None
) -> Transport:
    """Return a transport to the service *name* where the *options* of *member* locate it.

    *page* describes its permissions. *connect* replaces boto3's client in tests. Errors are those of `aws_transport`.
    """
    place = {name: options.get(name, "") for name in AWS_MEMBERS}
    return aws_transport(AwsService(name=name, member=member, page=page, **place), http, connect)
