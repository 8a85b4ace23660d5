"""What members of resources mean: workloads of Kubernetes, services of compose files, resources of Kafka's operators.

By the API references of Kubernetes, the Compose specification, Strimzi, Confluent for Kubernetes and Flink's operator.
A member that has no row may change anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from scanner_check.knowledge.names import words_of
from scanner_extractor.repository.syntax_trees import words


class Workload(NamedTuple):
    """A kind of object that runs programs: *harmless* are members that change neither what runs nor whether it does.

    A member counts at any depth. *stops* are members that stop the program, each with the values that do so.
    """

    harmless: frozenset[str]
    stops: Mapping[str, frozenset[str]]


_OF_PODS = words(
    "metadata labels annotations image imagePullPolicy imagePullSecrets resources livenessProbe readinessProbe"
    " startupProbe ports affinity tolerations nodeSelector topologySpreadConstraints serviceAccountName serviceAccount"
    " securityContext strategy updateStrategy revisionHistoryLimit minReadySeconds progressDeadlineSeconds selector"
    " terminationGracePeriodSeconds priorityClassName dnsPolicy dnsConfig hostAliases hostNetwork lifecycle"
    " restartPolicy schedulerName podManagementPolicy serviceName persistentVolumeClaimRetentionPolicy"
    " volumeClaimTemplates ttlSecondsAfterFinished backoffLimit activeDeadlineSeconds successfulJobsHistoryLimit"
    " failedJobsHistoryLimit startingDeadlineSeconds timeZone schedule triggers analysis autoscaling"
)
_NONE = frozenset({"0"})
_OFF = frozenset({"false", "0", "no", "off", "disabled", "none"})
_ON = frozenset({"true", "yes", "on", "1"})
_POD = Workload(_OF_PODS, {"replicas": _NONE, "suspend": _ON, "parallelism": _NONE, "paused": _ON})

WORKLOADS: Mapping[str, Workload] = {
    **dict.fromkeys(
        ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Pod", "Job", "CronJob", "DeploymentConfig"), _POD
    ),
    **dict.fromkeys(("Rollout", "CronWorkflow", "Workflow", "Application", "Service", "ClowdApp"), _POD),
    "ScaledObject": Workload(_OF_PODS, {"maxReplicaCount": _NONE}),
    "ScaledJob": Workload(_OF_PODS, {"maxReplicaCount": _NONE}),
    "HorizontalPodAutoscaler": Workload(_OF_PODS, {"maxReplicas": _NONE}),
    "FlinkDeployment": Workload(
        words("metadata image imagePullPolicy jobManager taskManager flinkVersion serviceAccount ingress jarURI")
        | words("parallelism podTemplate logConfiguration"),
        {"state": frozenset({"suspended"})},
    ),
    "FlinkSessionJob": Workload(
        words("metadata jarURI parallelism deploymentName"), {"state": frozenset({"suspended"})}
    ),
}
"""Kind → which of its members matter."""

SCALERS = frozenset(("HorizontalPodAutoscaler", "ScaledObject", "Service"))
"""Kinds that run nothing themselves: without them a program still runs."""

SERVICE = Workload(
    words(
        "image build ports expose volumes healthcheck depends_on labels restart networks logging container_name"
        " hostname resources links dns dns_search extra_hosts ulimits user working_dir init platform pull_policy"
        " mem_limit cpus cap_add cap_drop security_opt stop_grace_period stop_signal tty stdin_open update_config"
        " restart_policy placement secrets privileged sysctls shm_size"
    ),
    {"replicas": _NONE, "scale": _NONE},
)
"""A service of a compose file."""

VALUES_STOP: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("replicas", "replicaCount", "replica_count", "minReplicas", "scale", "desired_count"), _NONE),
    **dict.fromkeys(("enabled", "enable", "autostartup", "auto-startup", "autoStartup", "install", "active"), _OFF),
    **dict.fromkeys(("suspend", "suspended", "disabled", "paused"), _ON),
}
"""Members of values of a chart, and of other settings, that stop something where they have one of these values."""

HARMLESS_VALUES = words(
    "image tag imagePullPolicy resources limits requests cpu memory probes livenessProbe readinessProbe startupProbe"
    " ingress service serviceAccount affinity tolerations nodeSelector annotations labels podAnnotations podLabels"
    " securityContext podSecurityContext autoscaling hpa pdb podDisruptionBudget persistence metrics serviceMonitor"
    " prometheusRule dashboards logging logLevel log_level"
)
"""Members of a chart's values by their meaning in the charts that `helm create` and Bitnami's library make."""

DECLARED: Mapping[str, frozenset[str]] = {
    "KafkaTopic": words("config configs partitions partitionCount replicas topicName name"),
    "KafkaConnector": words("config class tasksMax state pause"),
    "Connector": words("config configs class taskMax name"),
}
"""Kinds that are compared as declared topics and connectors → the members of `spec` that are compared."""

HARMLESS_DECLARED: Mapping[str, frozenset[str]] = {
    "KafkaTopic": words("status kafkaClusterRef kafkaRest replicas replicationFactor"),
    "KafkaConnector": words("status autoRestart version"),
    "Connector": words("status restartPolicy connectClusterRef connectRest"),
}

INFRASTRUCTURE: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(
        ("KafkaConnect", "KafkaMirrorMaker2"),
        words(
            "metadata image replicas resources version bootstrapServers tls authentication logging metricsConfig"
            " template jvmOptions readinessProbe livenessProbe build tracing externalConfiguration rack jmxOptions"
        ),
    ),
    "Kafka": words(
        "metadata image replicas resources version listeners storage logging metricsConfig template jvmOptions"
        " entityOperator cruiseControl kafkaExporter zookeeper clusterCa clientsCa rack maintenanceTimeWindows"
    ),
    "KafkaNodePool": words("metadata replicas roles storage resources template jvmOptions"),
    "KafkaRebalance": words("metadata spec"),
    "KafkaUser": words("metadata authentication quotas template"),
}
"""Kinds of Kafka's operators that hold no topic or connector → members that change no record and no right."""

_OF_KAFKA = words(
    "kafka strimzi confluent redpanda debezium flink ksql ksqldb jikkou conduktor apicurio karapace msk"
    " topic topics connector connectors schema schemas subject subjects acl acls"
)


def is_of_kafka(api: str, kind: str) -> bool:
    """Return whether a resource belongs to Kafka, by the words of its API group and kind."""
    return not _OF_KAFKA.isdisjoint({*words_of(api), *words_of(kind)})


RIGHTS = words("acl acls binding permission permissions policy grant grants")
"""Words in the types of resources that give rights."""

TERRAFORM_INFRASTRUCTURE = words(
    "cluster clusters environment account key network networks gateway peering link access point dns record pool"
    " invitation group certificate broker configuration"
)
"""Words of resources of Terraform that Kafka's providers have for what clusters run on, none for what is in them."""
