"""Whose code changes: programs, and modules that their build files name."""

from __future__ import annotations

from committed_repository import BASE, KSQL

from scanner_api.change_check.model import Verdict


def test_code_that_programs_share_is_unknown_and_code_of_others_is_fine(check):
    """The build files of programs name the module; what nothing names hits nobody."""
    java = "class Order {\n  int id;\n  int total;\n}\n"
    pom = "<project><artifactId>{}</artifactId>{}</project>"
    base = {
        **BASE,
        "common/pom.xml": pom.format("acme-common", ""),
        "common/Order.java": java,
        "pom.xml": pom.format("all", "<module>common</module><module>site</module><module>shop</module>"),
        "site/pom.xml": pom.format("site", "<parent><artifactId>all</artifactId></parent>"),
        "site/Page.java": java,
        "shop/pom.xml": pom.format(
            "shop", "<parent><artifactId>all</artifactId></parent><artifactId>acme-common</artifactId>"
        ),
        "shop/A.java": "import org.springframework.kafka.core.KafkaTemplate;\n"
        'class A { KafkaTemplate<String, Order> t; void send(Order o) { t.send("orders", o); } }\n',
    }
    less, comment = java.replace("  int total;\n", ""), {"a.ksql": KSQL + "-- more\n"}
    report = check({"common/Order.java": less, **comment}, base)
    assert {finding.rule for finding in report.findings if finding.counts} == {"code-changed"}
    assert check({"site/Page.java": less, **comment}, base).verdict is Verdict.FINE


def test_code_of_a_module_that_is_new_is_fine(check):
    """Nothing can name it yet."""
    base = {**BASE, "shop/pom.xml": "<project/>", "shop/A.java": "class A { KafkaTemplate<String, Order> t; }\n"}
    files = {"extra/pom.xml": "<project/>", "extra/B.java": "class B {\n  int id;\n}\n", "a.ksql": KSQL + "-- more\n"}
    assert "code-changed" not in {finding.rule for finding in check(files, base).findings}


def test_code_that_uses_kafka_and_names_no_topic_that_is_known_is_unknown(check):
    """Beside other files, too; where nothing of it is read, nobody can say whom it hits."""
    code = "from kafka import KafkaProducer\nfor name in listed():\n    KafkaProducer().send(name, {'total': 1})\n"
    base = {**BASE, "jobs/setup.py": "", "jobs/relay.py": code}
    files = {"jobs/relay.py": code.replace("total", "sum"), "a.ksql": KSQL + "-- more\n"}

    report = check(files, base)

    assert {(finding.rule, finding.target) for finding in report.findings if finding.counts} == {
        ("code-changed", "jobs/relay.py")
    }
    assert report.verdict is Verdict.UNKNOWN
