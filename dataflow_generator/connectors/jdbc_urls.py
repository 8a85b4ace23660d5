"""Parse JDBC URLs into server and database, without secrets (rules of openlineage-java)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from dataflow_generator.connectors.products import OTHER_SCHEMES, PRODUCTS

UNKNOWN_HOST = "unknown"

_SECRET = re.compile(r"(?i)user|login|uid|pass|pwd|secret|token|key|credential|auth|sas|sig|jaas|wallet")
_DEFAULT_PORTS = {scheme: product.port for scheme, product in PRODUCTS.items() if product.port}
"""Appended to a URL without port; not for SQL Server and for schemes that openlineage-java does not know."""

_SCHEMES = {**OTHER_SCHEMES, "as400": "db2"}
_PLACE_HOLDER = r"\$\{[^{}]*\}"
_HOST = re.compile(
    rf"(?:\[[0-9A-Fa-f:.%]+\]|(?:[\w.-]|{_PLACE_HOLDER})+)(?::(?:\d{{1,5}}|{_PLACE_HOLDER}))?(?:[:;&][\w.]+=[\w.-]*)*"
)
_NAMED_PART = re.compile(r"\(?(?P<key>\w+)=[^=@]*")
# A `?` or `;` without a following `name=` may be part of a password.
_QUERY = re.compile(r"\?(?=[\w.]+=|$)")
_PORT = re.compile(r":\d{1,5}$")
_FIELD = re.compile(r"\(\s*(host|port|service_name|sid|instance_name)\s*=\s*([^()\s]+)\s*\)", re.IGNORECASE)

_ORACLE_ADDRESS = re.compile(r"\(\s*address\s*=((?:\s*\([^()]*\))*)\s*\)", re.IGNORECASE)
_MYSQL_LIST = re.compile(r"(?:[^/(\[?]*@)?(?P<list>\[(?:\([^()]*\)|[^/()?])*\]|(?:\([^()]*\)|address=|,)+)(?=[/?]|$)")
"""The addresses of a MySQL URL, without preceding credentials; a slash in parentheses belongs to a password."""

_MYSQL_ADDRESS = re.compile(r"(?:address=)?(?:\([^()]*\))+|[^,()]+")
_MYSQL_FIELD = re.compile(r"[(,]\s*(host|port)\s*=([^(),]*)", re.IGNORECASE)
_TERADATA_PARAMETER = re.compile(r"(?<!\w)(\w++)=('[^']*+'|[^,]*+)")
_BRACED_PARAMETER = re.compile(r"(?<![^;={}])([^;={}]++)=(\{[^{}]*+\}|[^;]*+)")
_DASHES = re.compile(r"(?<!xn)--")
_IPV6 = re.compile(r"[0-9A-Fa-f.]*:[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*")


@dataclass(frozen=True, slots=True)
class JdbcServer:
    """The parts of a JDBC URL: the OpenLineage *namespace*, its *scheme*, the *database* and *schema* or empty."""

    scheme: str
    namespace: str
    database: str = ""
    schema: str = ""


def jdbc_server(url: str) -> JdbcServer:
    """Parse a JDBC URL; one that cannot be parsed has the host `unknown`, never the text of the URL."""
    text = re.sub(r"(?i)^jdbc:", "", url.strip())
    scheme = text.partition(":")[0].lower()
    reader = _READERS.get(scheme, _plain)
    return reader(text)


def with_ports(scheme: str, hosts: str) -> str:
    """Return a comma-separated list of hosts in lower case, each with a port; placeholders are left unchanged."""
    port = _DEFAULT_PORTS.get(scheme)
    listed = (host.rpartition("@")[2].strip() for host in hosts.split(","))
    return ",".join(_with_port(host, port) for host in listed if is_host(host))


def is_host(text: str) -> bool:
    """Return whether *text* is a host, optionally with a port; other text may be part of a password."""
    named = _NAMED_PART.fullmatch(text)
    return bool(_HOST.fullmatch(text)) or bool(named and not _SECRET.search(named["key"]))


def _with_port(host: str, port: int | None) -> str:
    host = host if "${" in host else _lower_host(host)
    known = port is None or _PORT.search(host) or host.startswith("(") or host.endswith(")")
    return host if known else f"{host}:{port}"


def _lower_host(host: str) -> str:
    name, sign, parameters = host.partition(":") if "=" in host and not host.startswith("(") else (host, "", "")
    return name.lower() + sign + parameters


def _server(scheme: str, hosts: str, database: str = "", schema: str = "") -> JdbcServer:
    shown = with_ports(scheme, hosts) or UNKNOWN_HOST
    return JdbcServer(scheme, f"{scheme}://{shown}", database, schema)


def _plain(text: str) -> JdbcServer:
    """Parse `scheme[:more]://[user:password@]hosts[/database][?parameters]`."""
    before, slashes, rest = text.partition("://")
    written = before.partition(":")[0].partition("+")[0].lower() if slashes else ""
    scheme = _SCHEMES.get(written, written) or "jdbc"
    if not slashes or not re.fullmatch(r"[a-z][a-z0-9.-]*", scheme):
        named = text.partition(":")[0].lower()
        scheme = named if re.fullmatch(r"[a-z][a-z0-9]{0,20}", named) and ":" in text else "jdbc"
        return JdbcServer(scheme, f"{scheme}://{UNKNOWN_HOST}")
    address, *parameters = _QUERY.split(rest, maxsplit=1)
    hosts, _, path = address.partition("/") if "@" not in address else _credentials_off(address)
    schema = _parameters("".join(parameters), "&").get("currentschema", "").partition(",")[0]
    database = re.split(r"[;,]", path, maxsplit=1)[0].strip()
    if "=" in database:
        database = ""  # Teradata has parameters in the position of the database
    return _server(scheme, hosts if scheme in _DEFAULT_PORTS else _harmless(hosts), database, schema)


def _credentials_off(address: str) -> tuple[str, str, str]:
    """Remove the text before the last `@` of each host; a password may contain a slash."""
    tail = address.rpartition("@")[2]
    hosts, slash, path = tail.partition("/")
    # A part without its own `@` may belong to a password, and is removed.
    parts = [part for part in address[: len(address) - len(tail)].split(",")[:-1] if "@" in part]
    others = [part.rpartition("@")[2] for part in parts]
    return ",".join([*(other for other in others if other and "/" not in other), hosts]), slash, path


def _harmless(hosts: str) -> str:
    """Remove parameters among the hosts that look secret: `host:user=x;ssl=true`."""
    parts = re.split(r"([;:&])", hosts)
    pairs = [(parts[i - 1] if i else "", parts[i]) for i in range(0, len(parts), 2)]
    harmless = [(sign, part) for sign, part in pairs if not ("=" in part and _SECRET.search(part.partition("=")[0]))]
    return "".join(sign + part for sign, part in harmless)


def _parameters(text: str, sign: str) -> Mapping[str, str]:
    pairs = (part.partition("=") for part in text.split(sign))
    return {key.strip().lower(): value.strip() for key, _, value in pairs}


def _mysql(text: str) -> JdbcServer:
    """Parse MySQL's lists of addresses: `address=(host=a)(port=1)`, `(host=a,port=1)`, `[a:1,b]`.

    For a `(host=a,port=1)` without brackets openlineage-java preserves the form.
    """
    rest = text.partition("://")[2]
    match = _MYSQL_LIST.match(rest)
    if not match or not ("," in match["list"] or "(" in match["list"]):
        return _plain(text)
    listed = match["list"]
    in_brackets = listed.startswith("[")
    hosts = [_mysql_host(part, in_brackets=in_brackets) for part in _MYSQL_ADDRESS.findall(listed.strip("[]"))]
    database = re.split(r"[?/;,]", rest[match.end() :].removeprefix("/"), maxsplit=1)[0]
    return _server("mysql", ",".join(filter(None, hosts)), database)


def _mysql_host(part: str, *, in_brackets: bool) -> str:
    fields: dict[str, str] = {key.lower(): value.strip() for key, value in _MYSQL_FIELD.findall(part)}
    if "(" not in part:
        return part.strip()
    if not is_host(fields.get("host", "")):
        return ""
    port = fields.get("port", "")
    if part.startswith("address") or in_brackets:
        return fields["host"] + (f":{port}" if port.isdigit() else "")
    return f"(host={fields['host']}" + (f",port={port})" if port.isdigit() else ")")


def _teradata(text: str) -> JdbcServer:
    """Parse `teradata://host[/NAME=value,…]`; the port and the database are among the parameters."""
    host, _, rest = text.partition("://")[2].partition("/")
    named = {key.upper(): value.strip("'") for key, value in _TERADATA_PARAMETER.findall(rest)}
    port = named.get("DBS_PORT", "")
    if port.isdigit() and not _PORT.search(host):
        host = f"{host}:{port}"
    return _server("teradata", host, named.get("DATABASE", "") or _plain(text).database)


def _cassandra(text: str) -> JdbcServer:
    """Parse `cassandra://a--b--c:port/keyspace`; a final port applies to every host without its own."""
    start, slashes, rest = text.partition("://")
    if "@" in rest:
        return _plain(text)
    authority, slash, path = rest.partition("/")
    hosts = _DASHES.split(authority)
    port = _PORT.search(hosts[-1]) if len(hosts) > 1 else None
    listed = (host if _PORT.search(host) or not port else f"{host}{port[0]}" for host in hosts)
    return _plain(f"{start}{slashes}{','.join(listed)}{slash}{path}")


def _sql_server(text: str) -> JdbcServer:
    r"""Parse `sqlserver://host[\instance][:port][;name=value…]` and jTDS's `jtds:sqlserver://host/database;…`.

    Without a host the property `serverName` names it, optionally with an instance or port, or as a bare IPv6 address.
    """
    address, _, rest = text.partition("://")[2].partition(";")
    pairs = _BRACED_PARAMETER.findall(rest)
    parameters = {key.strip().lower(): value.strip().removeprefix("{").removesuffix("}") for key, value in pairs}
    host, _, path = address.rpartition("@")[2].partition("/")
    if not host.partition("\\")[0].partition(":")[0]:
        host = parameters.get("servername", "") or parameters.get("server", "")
        host = f"[{host}]" if _IPV6.fullmatch(host) else host
    name, _, instance = host.partition("\\")
    instance, _, late_port = instance.partition(":")
    name = name if is_host(name) else UNKNOWN_HOST
    port = late_port or parameters.get("portnumber", "") or parameters.get("port", "")
    database = parameters.get("databasename", "") or parameters.get("database", "") or path
    shown = name.lower() if "${" not in name else name
    shown += f":{port}" if port.isdigit() and not _PORT.search(name) else ""
    instance = instance or parameters.get("instancename", "") or parameters.get("instance", "")
    return JdbcServer("sqlserver", f"sqlserver://{shown}" + (f"/{instance}" if instance else ""), database)


def _oracle(text: str) -> JdbcServer:
    """Parse thin and OCI URLs: `@host:port:sid`, `@//host:port/service`, `@(DESCRIPTION=…)`, `@ldap://…`."""
    before, at, descriptor = text.partition("@(")
    if at:
        return _descriptor(before, f"({descriptor}")
    address = text.rpartition("@")[2].partition("?")[0].strip() if "@" in text else ""
    if not address:
        return JdbcServer("oracle", f"oracle://{UNKNOWN_HOST}")
    if address.lower().startswith("ldap"):
        return _directory(address)
    address = re.sub(r"^(?:[a-z]+:)?//", "", address, flags=re.IGNORECASE)
    hosts, _, service = address.partition("/")
    host, sid = (hosts, "") if "," in hosts else _sid_off(hosts)
    return _server("oracle", host, service.partition(":")[0] or sid)


def _sid_off(host: str) -> tuple[str, str]:
    match = re.fullmatch(r"(\[[^\]]+\]|[^:]+)((?::\d{1,5})?)(?::([^:]+))?", host)
    return (match[1] + match[2], match[3] or "") if match else (host, "")


def _descriptor(before: str, address: str) -> JdbcServer:
    if not _balanced(address):
        plain = re.fullmatch(r"(?i)oracle:(?:thin|oci)\d?:?", before) and not _SECRET.search(address)
        return JdbcServer("oracle", f"{before}@{address}" if plain else f"oracle://{UNKNOWN_HOST}")
    fields = {key.lower(): value for key, value in reversed(_FIELD.findall(address))}
    # Each address has its own port, before its host or after it, or none.
    descriptions = _ORACLE_ADDRESS.findall(address) or [address]
    addresses = [
        {key.lower(): value for key, value in reversed(_FIELD.findall(description))} for description in descriptions
    ]
    hosts = (f"{parts['host']}:{parts.get('port', '1521')}" for parts in addresses if "host" in parts)
    database = fields.get("service_name") or fields.get("sid") or fields.get("instance_name") or ""
    return _server("oracle", ",".join(hosts), database)


def _balanced(text: str) -> bool:
    """Return whether *text* is one balanced pair of parentheses."""
    depth = 0
    for number, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth <= 0 and number < len(text) - 1:
            return False
    return depth == 0


def _directory(address: str) -> JdbcServer:
    """Parse an LDAP address; the service is the part that is not `cn=` or `dc=`, of the first server."""
    first = address.split(maxsplit=1)[0]
    hosts, _, path = re.sub(r"(?i)^ldaps?:(?://)?", "", first).partition("/")
    names = [name for name in re.split(r"[,/]", path) if name and "=" not in name]
    return _server("oracle", hosts, names[0] if names else "")


def _embedded(text: str) -> JdbcServer:
    """Parse the URL of an embedded database, which is a file or a folder."""
    path = re.split(r"[;?]", text.partition(":")[2], maxsplit=1)[0]
    return JdbcServer("file", f"file:{path}")


def _snowflake(text: str) -> JdbcServer:
    server = _plain(text)
    parameters = _parameters(text.partition("?")[2], "&")
    account = snowflake_account(server.namespace.partition("://")[2])
    return JdbcServer("snowflake", f"snowflake://{account}", parameters.get("db", ""), parameters.get("schema", ""))


def _snowflake_parts(account: str) -> Iterator[str]:
    parts = account.split(".")
    yield parts[0]
    yield parts[1] if len(parts) > 1 else "us-west-1"
    yield ".".join(parts[2:]) if len(parts) > 2 else "aws"


def snowflake_account(url: str) -> str:
    """Return the account of a Snowflake URL as OpenLineage writes it: `org-account`, or `locator.region.cloud`.

    A locator without region is in Snowflake's first one, under the name that OpenLineage's clients give it.
    """
    host = re.sub(r"^[a-z]+://", "", url.strip(), flags=re.IGNORECASE).rpartition("@")[2]
    host = re.split(r"[/:?]", host, maxsplit=1)[0].lower() if "${" not in host else host
    account = re.sub(r"\.snowflakecomputing\.(?:com|cn)$", "", host)
    if not account or account == UNKNOWN_HOST or "${" in account:
        return account or UNKNOWN_HOST
    return account if "." not in account and re.search(r"[-_]", account) else ".".join(_snowflake_parts(account))


_READERS: Mapping[str, Callable[[str], JdbcServer]] = {
    "cassandra": _cassandra,
    "derby": _embedded,
    "jtds": _sql_server,
    "sqlite": _embedded,
    "mysql": _mysql,
    "oracle": _oracle,
    "snowflake": _snowflake,
    "sqlserver": _sql_server,
    "teradata": _teradata,
}
