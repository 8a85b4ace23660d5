"""Libraries that change no record: those that watch a program; and what notes of libraries say of members."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from scanner_programs.libraries.rows import Library, begins

WATCHERS: tuple[Library, ...] = (
    Library(
        (
            # logging
            "org.slf4j", "org.apache.logging", "org.apache.log4j", "java.util.logging", "org.jboss.logging",
            "ch.qos.logback", "io.github.oshai", "mu", "com.typesafe.scalalogging", "org.typelevel.log4cats",
            "logging", "structlog", "loguru", "warnings", "console", "winston", "pino", "bunyan", "loglevel",
            "log", "log/slog", "fmt.Print", "fmt.Println", "fmt.Printf", "github.com/sirupsen/logrus",
            "go.uber.org/zap", "github.com/rs/zerolog", "github.com/go-kit/log", "k8s.io/klog",
            "Microsoft.Extensions.Logging", "Serilog", "NLog", "Console", "tracing", "log::", "System.out",
            "System.err", "print", "println", "eprintln", "debug", "debug_assert", "debug_assert!",
            # metrics and tracing
            "io.micrometer", "io.opentelemetry", "io.opentracing", "io.prometheus", "com.codahale.metrics",
            "prometheus_client", "opentelemetry", "statsd", "datadog", "sentry_sdk", "prom-client",
            "@opentelemetry", "@sentry", "hot-shots", "dd-trace", "github.com/prometheus", "go.opentelemetry.io",
            "github.com/DataDog", "github.com/getsentry", "Prometheus", "OpenTelemetry", "System.Diagnostics",
            "metrics", "kamon", "com.newrelic", "newrelic", "elasticapm",
            # what answers a request that failed
            "net/http.Error", "http.Error",
        ),
        # classes that files use without naming their package; no other name alone tells its library
        frozenset(("ILogger", "Logger", "Counter", "Histogram", "Gauge", "Meter", "ActivitySource")),
    ),
)  # fmt: skip
"""Libraries for logging, metrics and tracing."""

CHECKS = (
    "org.springframework.util.Assert", "java.util.Objects.requireNonNull", "java.util.Objects.checkIndex", "assert",
    "com.google.common.base.Preconditions", "org.apache.commons.lang3.Validate",
)  # fmt: skip
"""Functions and classes whose methods change nothing: they fail unless what they are given is as they want it."""

LOGGERS = frozenset(("Logger", "ILogger"))
"""What a class or an interface for logging is called, whichever library it is of."""

LOGGER_NOTES: Mapping[str, str] = {
    "Slf4j": "log", "Log4j2": "log", "Log": "log", "CommonsLog": "log", "Log4j": "log", "JBossLog": "log",
}  # fmt: skip
"""Notes on a class that give it a logger, by the name of the logger (Lombok)."""

LOGGED = frozenset(("LoggerMessage", "LogMessage"))
"""Notes of a method without a body that a library implements by a log line (.NET, JBoss Logging)."""

WIRE_NAMES: Mapping[str, tuple[str, ...]] = {
    "JsonProperty": ("value", "", "PropertyName"),
    "JsonAlias": (),
    "SerializedName": ("value", ""),
    "JsonPropertyName": ("",),
    "SerialName": ("value", ""),
    "Json": ("name",),
    "JsonbProperty": ("value", ""),
    "XmlElement": ("name",),
    "AvroName": ("value", ""),
    "ProtoMember": (),
    "DataMember": ("Name",),
    "json": ("",),
    "avro": ("",),
    "msgpack": ("",),
    "serde": ("rename",),
    "Field": ("serialization_alias", "alias"),
    "field": ("alias", "name", "field_name"),
    "Expose": ("name",),
    "key": ("",),
    "jsonField": ("",),
    "JsonKey": ("",),
    "SerializedAs": ("",),
}
"""Notes of serializers that give a member its name in the record, and the argument that has it."""

HOOKS = frozenset(("toJSON", "MarshalJSON", "MarshalText", "MarshalBinary", "GobEncode", "EncodeMsgpack", "__json__"))
"""Methods that serializers call for what an object is written as."""
HOOK_NOTES = frozenset(("JsonValue", "model_serializer"))
"""Notes on such methods."""

NEVER_WRITTEN = frozenset(
    ("JsonIgnore", "Transient", "XmlTransient", "IgnoreDataMember", "AvroIgnore", "Exclude", "skip", "skip_serializing")
)
"""Notes of serializers, and flags in them, on members that are not part of the record."""
MAPPERS = frozenset(("Mapper",))
MAPPINGS = frozenset(("Mapping",))
"""The notes of MapStruct on interfaces that it implements, and on their methods."""
BY_PLACE = "forProduct"
"""What circe's functions begin with that are given the names of a class's members in their order, and the class."""
FLATTENED = frozenset(("JsonUnwrapped", "flatten", "JsonExtensionData"))
"""Notes, and flags in them, on members whose own members are written instead of them."""

SILENT_NOTES = frozenset(
    (
        # validation, documentation, databases, injection: no serializer reads them
        "NotNull", "NonNull", "Nullable", "NotBlank", "NotEmpty", "Size", "Min", "Max", "Positive", "PositiveOrZero",
        "Negative", "Pattern", "Email", "Valid", "Digits", "Past", "Future", "Schema", "ApiModelProperty", "Deprecated",
        "SuppressWarnings", "Override", "Getter", "Setter", "ToString", "EqualsAndHashCode", "Builder", "Default",
        "Id", "Column", "GeneratedValue", "ManyToOne", "OneToMany", "JoinColumn", "Enumerated", "Autowired", "Inject",
        "Required", "Key", "MaxLength", "StringLength", "Range", "validate", "gorm", "bson", "db", "IsString",
        "IsNumber",
        "IsOptional", "IsInt", "ApiProperty", "Type", "Value", "default", "env", "envconfig", "mapstructure", "yaml",
    )
)  # fmt: skip
"""Notes on members that change no record."""

TABLES: Mapping[str, tuple[str, ...]] = {
    "Table": ("name", "Name", ""),
    "Entity": ("name", ""),
    "Document": ("collection", "value", ""),
    "MappedEntity": ("value", ""),
    "table_name": ("",),
    "diesel": ("table_name",),
}
"""Notes on classes whose objects are rows of a table, and the arguments with its name."""

TABLE_FIELDS = frozenset(("__tablename__", "db_table", "tableName", "TABLE_NAME"))
"""Members of a class, or of its `Meta`, with the name of the table that it is mapped to."""

SETTINGS_CLASSES: Mapping[str, str] = {
    "ConfigurationProperties": "prefix",
    "ConfigMapping": "prefix",
    "ConfigProperties": "prefix",
}
"""Notes on classes whose members are settings, and the argument with what their names begin with."""

PROVIDES = frozenset(("Bean", "Produces", "Provides", "Singleton"))
"""Notes on functions that a container calls for the object which it gives to whatever asks for one of the type."""
NAMES_OBJECT = frozenset(("Bean", "Named", "Qualifier", "Resource"))
"""Notes that give the objects of a container a name, and that ask for one by it."""

CONTAINERS = "DeclarativeContainer"
"""The class of a library that classes extend whose members say how objects are made (dependency-injector)."""
PROVIDERS: Mapping[str, str] = {
    **dict.fromkeys(("Singleton", "ThreadSafeSingleton", "ThreadLocalSingleton", "Factory", "Resource"), "make"),
    **dict.fromkeys(("Callable", "Coroutine"), "make"),
    "Container": "container",
    "Configuration": "settings",
    "Object": "same",
}
"""What members of such a class are made with, each with what it does."""
PROVIDED = frozenset(("Provide", "Closing", "Depends"))
"""What stands as the default of a parameter that an object of a container is given to, with that object."""

LAYERS = frozenset(("ZLayer", "TaskLayer", "ULayer", "URLayer", "RLayer", "Layer"))
"""Types of what makes an object of their last parameter for whatever asks for one (ZIO)."""

INJECTED_SETTINGS: Mapping[str, str] = {"Value": "", "ConfigProperty": "name", "Property": "name"}
"""Notes on members and parameters that get the value of a setting, and the argument that names it."""

SECTIONS = frozenset(("registerAs",))
"""Functions that give a function which returns settings a name that theirs begin with (Nest)."""
LOADS = "load"
"""The option of a module of settings that lists functions which return settings (Nest)."""
SETTING_DEFAULTS = frozenset(("set_default", "SetDefault", "setDefault", "setdefault"))
"""Methods that say what a setting is if nothing sets it, by its name (Viper, config of Rust, environments)."""

SETTINGS_BASES = frozenset(("BaseSettings",))
"""Classes whose subclasses have members that the environment sets, under their names (pydantic)."""
ENV_PREFIXES = ("env_prefix",)
"""What such a class calls the text that the names in the environment begin with."""

ENVIRONMENT = frozenset(
    (
        "System.getenv", "os.getenv", "os.environ.get", "os.environ", "process.env", "os.Getenv",
        "Environment.GetEnvironmentVariable", "std::env::var", "env::var", "sys.env",
    )
)  # fmt: skip
"""Functions and objects that return the value of a variable of the environment."""
VARIABLES = frozenset(("process.env", "import.meta.env", "Bun.env"))
"""Objects whose members are the variables of the environment."""

NAMING_STYLES: Mapping[str, str] = {
    "SNAKE_CASE": "snake_case",
    "SnakeCaseStrategy": "snake_case",
    "CAMEL_CASE_TO_LOWER_CASE_WITH_UNDERSCORES": "snake_case",
    "LOWER_CASE_WITH_UNDERSCORES": "snake_case",
    "SnakeCaseLower": "snake_case",
    "SnakeCase": "snake_case",
    "KEBAB_CASE": "kebab-case",
    "LOWER_CASE_WITH_DASHES": "kebab-case",
    "KebabCaseLower": "kebab-case",
    "KebabCase": "kebab-case",
    "UPPER_CAMEL_CASE": "PascalCase",
    "CamelCase": "camelCase",
    "CamelCasePropertyNamesContractResolver": "camelCase",
    "CamelCaseNamingStrategy": "camelCase",
    "SnakeCaseNamingStrategy": "snake_case",
    "KebabCaseNamingStrategy": "kebab-case",
    "PascalCase": "PascalCase",
    "UpperCamelCaseStrategy": "PascalCase",
    "KebabCaseStrategy": "kebab-case",
    "CAMEL": "camelCase",
    "SNAKE": "snake_case",
    "KEBAB": "kebab-case",
    "PASCAL": "PascalCase",
    "camel": "camelCase",
    "pascal": "PascalCase",
    "kebab": "kebab-case",
    "to_camel": "camelCase",
    "to_pascal": "PascalCase",
    "to_snake": "snake_case",
    "Web": "camelCase",
    "withSnakeCaseMemberNames": "snake_case",
    "withKebabCaseMemberNames": "kebab-case",
    "withScreamingSnakeCaseMemberNames": "SCREAMING_SNAKE_CASE",
}
"""The members of enumerations of how all names are written, in Jackson, Gson, .NET and others, each with its style."""
NAMING_SETTINGS = (
    "spring.jackson.property-naming-strategy",
    "jackson.property-naming-strategy",
    "quarkus.jackson.property-naming-strategy",
)
"""The settings of frameworks that set such a style."""
NAMING_METHODS = frozenset(name for name in NAMING_STYLES if name.startswith("with"))
"""The methods of a configuration that set such a style."""
NAMING_ENUMERATIONS = frozenset(
    (
        *("PropertyNamingStrategies", "PropertyNamingStrategy", "FieldNamingPolicy"),
        *("JsonNamingPolicy", "JsonSerializerDefaults", "JsonNamingStrategy", "JsonNaming"),
    )
)


@lru_cache(maxsize=50_000)
def checks(name: str) -> bool:
    """Return whether a full name is one of what fails unless it is given what it wants, and does nothing else."""
    return begins(name.replace("::", "."), CHECKS)


@lru_cache(maxsize=50_000)
def watches(name: str) -> bool:
    """Return whether a full name is one of a library that only watches a program."""
    plain = name.replace("::", ".")
    known = plain.partition("<")[0]
    if known.rpartition(".")[2] in LOGGERS:
        return True
    return any(begins(name, row.packages) or begins(plain, row.packages) or known in row.names for row in WATCHERS)
