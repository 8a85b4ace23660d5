"""What deploys programs: templates of OpenShift, ClowdApps, and several deployments of one image."""

from __future__ import annotations

import textwrap

import pytest

from scanner_extractor.repository.applications.deployments import read_deployments
from scanner_extractor.repository.applications.reader import ApplicationsReading, read_applications
from scanner_model.names import SourceId

SENDER = """
    import org.apache.kafka.clients.producer.*;
    class A { void f() { p.send(new ProducerRecord("t", k)); } }
    """

TEMPLATE = """
    kind: Template
    objects:
    - apiVersion: cloud.redhat.com/v1alpha1
      kind: ClowdApp
      metadata: {name: "${APP}"}
      x-anchors:
        pod: &pod
          image: ${IMAGE}:latest
          args: ["./consumer.py"]
      spec:
        deployments:
        - name: orders
          podSpec:
            <<: *pod
            env: [{name: CONSUMER_TOPIC, value: "${ORDERS_TOPIC}"}]
        - name: refunds
          podSpec:
            <<: *pod
            env: [{name: CONSUMER_TOPIC, value: refunds}]
        jobs:
        - name: report
          podSpec:
            image: ${IMAGE}:latest
            args: ["./report.py"]
    parameters:
    - {name: APP, value: shop}
    - {name: IMAGE, value: example.org/house/shop}
    - {name: ORDERS_TOPIC, value: orders-v2}
"""
CONSUMER = """
    import os
    from confluent_kafka import Consumer
    from shop.events import writer

    def main():
        consumer = Consumer({})
        consumer.subscribe([os.environ.get("CONSUMER_TOPIC", "orders")])
        writer("totals")

    if __name__ == "__main__":
        main()
"""
EVENTS = """
    from confluent_kafka import Producer

    class Writer:
        def __init__(self, topic):
            self.topic = topic
            self.producer = Producer({})
        def write(self, value):
            self.producer.produce(self.topic, value)

    def writer(topic):
        return Writer(topic)
"""


def flows(files: dict[str, str]) -> set[str]:
    """Return the flows as `job: origin > target`."""
    reading = read_applications({path: textwrap.dedent(text) for path, text in files.items()}, SourceId("repository"))
    return {f"{flow.job}: {flow.origin.name} > {flow.target.name}" for flow in reading.flows}


def test_a_template_gives_its_parameters_to_the_objects_in_it():
    listed = read_deployments({"deploy.yaml": textwrap.dedent(TEMPLATE)}, {})

    assert [(found.name, found.image, dict(found.environment)) for found in listed] == [
        ("shop-orders", "example.org/house/shop:latest", {"CONSUMER_TOPIC": "orders-v2"}),
        ("shop-refunds", "example.org/house/shop:latest", {"CONSUMER_TOPIC": "refunds"}),
        ("shop-report", "example.org/house/shop:latest", {}),
    ]


def test_a_parameter_without_a_value_stays():
    text = (
        "kind: List\nitems:\n- kind: ClowdApp\n  metadata: {name: a}\n  spec: {jobs: [{name: '${X}', podSpec: {}}]}\n"
    )

    assert [found.name for found in read_deployments({"a.yaml": text}, {})] == ["a-${X}"]


def test_deployments_of_one_image_are_programs_with_their_own_environment():
    files = {
        "pyproject.toml": '[project]\nname = "shop"\n',
        "deploy/app.yaml": TEMPLATE,
        "consumer.py": CONSUMER,
        "report.py": "from shop.other import nothing\n",
        "shop/events.py": EVENTS,
    }
    assert flows(files) == {
        "shop-orders: orders-v2 > ",
        "shop-refunds: refunds > ",
        "shop-orders:  > totals",
        "shop-refunds:  > totals",
    }


def test_a_library_belongs_to_the_deployments_whose_script_imports_it():
    """Another package's module of the same name is another file."""
    files = {
        "pyproject.toml": '[project]\nname = "shop"\n',
        "deploy/app.yaml": TEMPLATE,
        "consumer.py": "from other.events import nothing\n",
        "report.py": "from shop.reports import run\nrun()\n",
        "shop/reports.py": "from .events import writer\n\ndef run():\n    writer('reports')\n",
        "shop/events.py": EVENTS,
        "other/events.py": "def nothing():\n    pass\n",
    }
    assert flows(files) == {"shop-report:  > reports"}


def test_a_topic_is_given_by_a_file_that_does_not_mention_kafka():
    """The library of the repository does, and only its callers know the topic."""
    files = {
        "pyproject.toml": '[project]\nname = "shop"\n',
        "checkout.py": "from shop.events import Writer\n\nWriter('orders').write(b'')\n",
        "shop/events.py": EVENTS,
    }
    assert {flow.partition(": ")[2] for flow in flows(files)} == {" > orders"}


def test_a_consumer_is_assigned_the_partitions_that_a_list_collects():
    source = """
        from confluent_kafka import Consumer, TopicPartition

        def read(topics):
            partitions = []
            for topic in topics:
                partitions.append(TopicPartition(topic, 0))
            Consumer({}).assign(partitions)

        read(["orders", "refunds"])
    """
    assert {flow.partition(": ")[2] for flow in flows({"reader.py": source})} == {"orders > ", "refunds > "}


def test_a_clowd_app_deploys_its_own_repository_whatever_the_image_is_called():
    """A program of Go with several packages is told by the command which of them to run."""
    app = """
        kind: ClowdApp
        metadata: {name: shop}
        spec:
          deployments:
          - name: reader
            podSpec: {image: "q.io/other:1", args: [./entry.sh, listener], env: [{name: T_TOPIC, value: orders}]}
          - name: web
            podSpec: {image: "q.io/other:1", args: [./entry.sh, manager], env: [{name: T_TOPIC, value: other}]}
    """
    code = """
        package listener
        import "x.org/kafka"
        func Run() { kafka.NewConsumer(os.Getenv("T_TOPIC")) }
    """
    files = {
        "go.mod": "module app\n",
        "main.go": "package main\n\nfunc main() {}\n",
        "listener/run.go": code,
        "deploy/app.yaml": app,
    }
    assert flows(files) == {"shop-reader: orders > "}


def test_a_job_that_prepares_a_database_runs_no_program():
    """It has the image of the program, and ends before that starts."""
    workload = "kind: {0}\nmetadata: {{name: {1}}}\nspec: {{template: {{spec: {{containers: [{{image: shop}}]}}}}}}\n"
    files = {
        "pom.xml": "<project><artifactId>shop</artifactId>kafka</project>",
        "Shop.java": SENDER,
        "deploy.yml": workload.format("Deployment", "shop") + "---\n" + workload.format("Job", "shop-liquibase-init"),
    }

    assert {flow.job for flow in read_applications(files, SourceId("repository")).flows} == {"shop"}


def test_the_deployment_of_a_clowd_app_without_a_command_runs_what_its_module_has():
    """Code and settings are of one program."""
    app = """\
        kind: ClowdApp
        metadata: {name: shop}
        spec: {deployments: [{name: service, podSpec: {image: quay.io/org/shop}}]}
        """
    files = {
        "pom.xml": "<project><artifactId>shop</artifactId>kafka</project>",
        "A.java": SENDER,
        "clowdapp.yml": textwrap.dedent(app),
    }

    assert {flow.job for flow in read_applications(files, SourceId("repository")).flows} == {"shop-service"}


def test_a_command_of_django_is_the_argument_of_its_script():
    """A word of another command may be the same."""
    service = "{{build: ., command: {0}}}"
    files = {
        "compose.yml": "services:\n"
        f"  listener: {service.format('python manage.py orders')}\n"
        f"  worker: {service.format('celery -A shop worker -Q orders')}\n",
        "shop/listener.py": 'from confluent_kafka import Consumer\ndef listen():\n    consumer.subscribe(["orders"])\n',
        "shop/management/commands/orders.py": "from shop.listener import listen\nlisten()\n",
    }

    assert {flow.job for flow in read_applications(files, SourceId("repository")).flows} == {"listener"}


def test_a_kustomization_generates_the_environment_of_a_program() -> None:
    kustomization = """
        configMapGenerator:
        - name: feed
          literals: [OUT=rates, "LABEL=a=b"]
          envs: [feed.env]
        """
    workload = """
        kind: Deployment
        metadata: {name: feed}
        spec: {template: {spec: {containers: [{name: feed, envFrom: [{configMapRef: {name: feed}}]}]}}}
        """
    contents = {"base/kustomization.yaml": textwrap.dedent(kustomization), "base/feed.yaml": textwrap.dedent(workload)}

    (found,) = read_deployments(contents, {"base/feed.env": "IN=ticks\n"})

    assert found.environment == {"OUT": "rates", "LABEL": "a=b", "IN": "ticks"}


def test_a_program_of_go_has_the_environment_of_what_is_called_like_its_package() -> None:
    code = """
        package main
        import ("os"; "github.com/segmentio/kafka-go")
        func main() {
            w := &kafka.Writer{Topic: os.Getenv("OUT")}
            w.WriteMessages(nil, kafka.Message{Value: []byte("x")})
        }
        """
    workload = """
        kind: Deployment
        metadata: {name: feed}
        spec: {template: {spec: {containers: [{name: feed, image: reg/feed:1, env: [{name: OUT, value: rates}]}]}}}
        """
    files = {"go.mod": "module rates\nrequire github.com/segmentio/kafka-go v0.4.47\n", "cmd/feed/main.go": code}

    assert flows({**files, "deploy/feed.yaml": workload}) == {"feed:  > rates"}


LISTENER = """
    package shop
    import org.springframework.kafka.annotation.KafkaListener
    @SpringBootApplication class Shop
    fun main() { runApplication<Shop>() }
    class Bills { @KafkaListener(topics = ["\\${app.bills}"]) fun on(bill: String) { save(bill) } }
"""


def test_a_resource_of_a_house_with_an_image_and_variables_deploys_a_program():
    """Its kind is that of an operator which nobody else has; what builds the image fills it in."""
    deployment = """
        kind: WebService
        apiVersion: platform.example.com/v1
        metadata: {name: shop-backend}
        spec:
          image: {{ image }}
          replicas: {{replicas}}
          env:
            - name: BILLS_TOPIC
              value: finance.bills-v1
        """
    files = {
        "pom.xml": "<project><artifactId>shop</artifactId><modules><module>app</module></modules></project>",
        "app/pom.xml": "<project><artifactId>app</artifactId></project>",
        "app/src/main/kotlin/Shop.kt": LISTENER,
        "app/src/main/resources/application.properties": "app.bills=${BILLS_TOPIC:#{null}}\n",
        ".platform/prod.yaml": textwrap.dedent(deployment),
    }

    assert flows(files) == {"shop-backend: finance.bills-v1 > "}


def test_a_setting_whose_default_is_computed_has_no_value_without_its_variable():
    files = {
        "pom.xml": "<project><artifactId>shop</artifactId></project>",
        "src/main/kotlin/Shop.kt": LISTENER,
        "src/main/resources/application.properties": "app.bills=${BILLS_TOPIC:#{null}}\n",
    }

    assert flows(files) == set()


def read(files: dict[str, str]) -> ApplicationsReading:
    return read_applications({path: textwrap.dedent(text) for path, text in files.items()}, SourceId("repository"))


COMPONENT = """
    apiVersion: dapr.io/v1alpha1
    kind: Component
    metadata: {name: bus}
    spec: {type: %s, version: v1, metadata: [{name: brokers, value: "k:9092"}]}
    """
BESIDE = {
    "a/app.py": ("client.publish_event(\n    pubsub_name='bus', topic_name='orders', data=text\n)\n", True),
    "b/app.py": ("@app.subscribe(pubsub='bus', topic='orders')\ndef placed(event): pass\n", False),
    "c/app.py": ("def subscribe(): return jsonify([{'pubsubname': 'bus', 'topic': 'orders', 'route': 'r'}])\n", False),
    "d/main.go": (
        'package main\nvar s = &common.Subscription{PubsubName: "bus", Topic: "orders", Route: "/r"}\n',
        False,
    ),
    "e/main.go": ('package main\nfunc main() { c.PublishEvent(ctx, "bus", "orders", data) }\n', True),
    "f/a.ts": ("await client.pubsub.publish('bus', 'orders', { id: 1 });\n", True),
    "g/A.java": ('class A { @Topic(name = "orders", pubsubName = "bus")\n void placed(Event e) {} }\n', False),
    "i/A.java": (
        'class A { static final String BUS = "bus", T = "orders";\n'
        "  @Topic(name = T, pubsubName = BUS) void placed(Event e) {} }\n",
        False,
    ),
    "j/app.py": ("BUS = 'bus'\nTOPIC = 'orders'\nclient.publish_event(BUS, TOPIC, text)\n", True),
    "h/A.cs": ('class A { [Topic("bus", "orders")] public void Placed(Order order) {} }\n', False),
}


@pytest.mark.parametrize("path", BESIDE)
def test_what_is_named_beside_a_component_of_kafka_is_a_topic(path):
    code, writes = BESIDE[path]
    (flow,) = read({"components/bus.yaml": COMPONENT % "pubsub.kafka", path: code}).flows

    assert (flow.target.name if writes else flow.origin.name) == "orders"


def test_components_of_other_brokers_and_other_names_are_none_of_kafka():
    path, (code, _) = next(iter(BESIDE.items()))

    assert read({"components/bus.yaml": COMPONENT % "pubsub.redis", path: code}).flows == ()
    assert read({"components/bus.yaml": COMPONENT % "pubsub.kafka", path: code.replace("'bus'", "'log'")}).flows == ()


def test_code_that_names_only_a_component_of_kafka_is_unresolved():
    files = {"components/bus.yaml": COMPONENT % "pubsub.kafka", "a/app.py": "BUS = 'bus'\nsend(BUS, topic())\n"}

    assert [path for path, reason in read(files).unresolved if "bus" in reason] == ["a/app.py"]


STACK = """
    Transform: AWS::Serverless-2016-10-31
    Parameters:
      Topic: {Type: String, Default: bills}
    Globals:
      Function:
        Environment: {Variables: {OUT: !Ref Topic, LEVEL: info}}
    Resources:
      Bill:
        Type: AWS::Serverless::Function
        Properties: {CodeUri: bill/, Handler: app.handle}
      Mail:
        Type: AWS::Serverless::Function
        Properties:
          CodeUri: s3://code/mail.zip
          Environment: {Variables: {OUT: mails}}
      Plain:
        Type: AWS::Lambda::Function
        Properties: {FunctionName: plain-fn, Environment: {Variables: {OUT: others}}}
    """


def test_functions_of_aws_have_the_variables_of_their_stack():
    found = read_deployments({"fn/template.yaml": textwrap.dedent(STACK)}, {})

    assert [(one.name, one.build, dict(one.environment)) for one in found] == [
        ("Bill", "fn/bill", {"OUT": "bills", "LEVEL": "info"}),
        ("Mail", None, {"OUT": "mails", "LEVEL": "info"}),
        ("plain-fn", None, {"OUT": "others"}),
    ]


CHART = {
    "chart/Chart.yaml": "name: relay\n",
    "chart/values.yaml": "image: acme/relay:1\nkafka: {out: 'bills: all', brokers: b}\n",
    "chart/templates/a.yaml": """
        apiVersion: apps/v1
        kind: Deployment
        metadata:
          name: {{ include "relay.fullname" . }}
          labels:
            {{- include "relay.labels" . | nindent 4 }}
        spec:
          template:
            spec:
              containers:
              - image: {{ .Values.image }}
                env:
                {{- if .Values.kafka }}
                - {name: OUT, value: {{ .Values.kafka.out | quote }}}
                - {name: BROKERS, value: "{{ .Values.kafka.brokers }}"}
                {{- end }}
                - {name: NODE, value: x-{{ .Values.missing }}}
        """,
}


def test_variables_in_a_chart_that_is_not_rendered_have_its_values():
    files = {path: textwrap.dedent(text) for path, text in CHART.items()}
    (found,) = read_deployments({"chart/templates/a.yaml": files["chart/templates/a.yaml"]}, files)

    assert (found.name, found.image) == ("relay", "acme/relay:1")
    assert found.environment == {"OUT": "bills: all", "BROKERS": "b", "NODE": "x-$template"}


def test_a_template_that_is_of_no_chart_has_no_values():
    files = {path: textwrap.dedent(text) for path, text in CHART.items() if not path.endswith("Chart.yaml")}

    assert read_deployments({"chart/templates/a.yaml": files["chart/templates/a.yaml"]}, files) == []
