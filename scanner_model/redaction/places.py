"""Settings of connectors and clients by what their classes say of them: a password, or something else.

From the ConfigDefs of Kafka, Debezium and 21 other projects of connectors, and from librdkafka's list of settings. What
a class says counts first: the form of a name or of a value is looked at only for settings that are not here.
"""

from __future__ import annotations

from enum import Enum, auto
from functools import lru_cache


class Place(Enum):
    """What the value of a setting is."""

    SECRET = auto()
    OTHER = auto()


_SECRET = frozenset(
    {"sasl.jaas.config", "sasl.password", "sasl.oauthbearer.client.secret", "ssl.key.pem", "ssl.key.password"}
    | {"sasl.oauthbearer.client.credentials.client.secret", "sasl.oauthbearer.assertion.private.key.passphrase"}
    | {"ssl.keystore.key", "ssl.keystore.password", "ssl.truststore.password", "ssl.keystore.certificate.chain"}
    | {"ssl.truststore.certificates", "basic.auth.user.info", "bearer.auth.token", "bearer.auth.client.secret"}
    | {"database.password", "database.sslpassword", "database.ssl.keystore.password", "mongodb.password"}
    | {"database.ssl.truststore.password", "connection.password", "proxy.password", "query.masked"}
    | {"aad.auth.accesstoken", "aad.auth.appkey", "aws.secret.access.key", "aws.secret_access_key"}
    | {"connection.ssl.keystorepassword", "connection.ssl.truststorepassword", "csfle.local.master.key"}
    | {"http.headers.authorization", "http.ssl.truststore.password", "oauth2.client.secret", "jvm.proxy.password"}
    | {"redis.password", "redis.key.password", "s3.proxy.password", "s3.sse.customer.key", "splunk.hec.token"}
    | {"splunk.hec.ssl.trust.store.password", "snowflake.private.key", "snowflake.private.key.passphrase"}
    | {"snowflake.oauth.client.secret", "snowflake.oauth.refresh.token"}
)
"""Settings of the type PASSWORD. `connection.uri` of MongoDB is not listed: only its login is hidden."""
_OTHER = frozenset(
    {"aad.auth.appid", "aad.auth.authority", "aad.auth.strategy", "aws.sts.role.session.duration"}
    | {"aws.sts.role.session.name", "enable.task.fail.on.authorization.errors", "oauth2.client.authorization.mode"}
    | {"oauth2.request.client.secret.property", "oauth2.response.token.property", "oauth2.request.client.id.property"}
    | {"oauth2.token.renew.on.status.codes", "output.format.key", "sasl.oauthbearer.token.endpoint.url"}
    | {"sasl.kerberos.service.name", "sasl.kerberos.keytab", "ssl.keystore.location", "ssl.truststore.location"}
    | {"ssl.key.location", "s3.sse.kms.key.id", "redis.key.file", "basic.auth.credentials.source"}
)
"""Settings of other types whose names may suggest a secret."""
_MOST_PARTS = 10


@lru_cache(maxsize=8192)
def place_of(name: str) -> Place | None:
    """Return what a class says of its setting *name*, also under a prefix of a client; None if it is not known.

    `consumer.override.sasl.jaas.config` is the setting `sasl.jaas.config`.
    """
    rest = name.strip().lower()
    for _ in range(_MOST_PARTS):
        if rest in _SECRET:
            return Place.SECRET
        if rest in _OTHER:
            return Place.OTHER
        _, dot, rest = rest.partition(".")
        if not dot:
            break
    return None
