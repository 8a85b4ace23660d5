"""Service maps of DIGIT: which topic is written to which table or index, and which field to which column."""

from __future__ import annotations

from scanner_model.manual import DeclaredFlow

PERSISTER = """\
serviceMaps:
  serviceName: bills
  mappings:
    - version: 1.0
      fromTopic: save-bill
      queryMaps:
        - query: INSERT INTO eg_bill(id, tenantid, note) VALUES (?, ?, ?);
          basePath: Bill
          jsonMaps:
            - jsonPath: $.Bill.id
            - jsonPath: $.Bill.tenantId
            - jsonPath: $.Bill[?({id} in @.x)].note
        - query: INSERT INTO eg_bill_line(amount) VALUES (?)
          jsonMaps:
            - jsonPath: $.Bill.lines.*.amount
    - fromTopic: update-bill
      queryMaps:
        - query: UPDATE eg_bill SET note = ?, tenantid = ? WHERE id = ?;
          jsonMaps:
            - jsonPath: $.Bill.note
            - jsonPath: $.Bill.tenantId
            - jsonPath: $.Bill.id
        - query: INSERT INTO eg_bill_audit SELECT * FROM eg_bill WHERE id = ?;
          jsonMaps:
            - jsonPath: $.Bill.id
"""


def columns(flows, table):
    return {
        (flow.origin.name, flow.origin.path, flow.target.path and flow.target.path[-1])
        for flow in flows
        if flow.target.name == table
    }


def test_fields_of_a_message_are_written_to_columns(read_repository):
    flows = read_repository({"bills-persister.yml": PERSISTER}).of(DeclaredFlow)

    assert columns(flows, "eg_bill") == {
        ("save-bill", ("Bill", "id"), "id"),
        ("save-bill", ("Bill", "tenantId"), "tenantid"),
        ("update-bill", ("Bill", "note"), "note"),
        ("update-bill", ("Bill", "tenantId"), "tenantid"),
    }
    assert columns(flows, "eg_bill_line") == {("save-bill", ("Bill", "lines", "[]", "amount"), "amount")}


def test_a_query_without_values_writes_its_table(read_repository):
    flows = read_repository({"bills-persister.yml": PERSISTER}).of(DeclaredFlow)

    assert columns(flows, "eg_bill_audit") == {("update-bill", None, None)}


def test_each_mapping_is_a_flow_of_its_own(read_repository):
    flows = read_repository({"bills-persister.yml": PERSISTER}).of(DeclaredFlow)

    assert {(flow.job, flow.separate) for flow in flows} == {("egov-persister", True)}


def test_the_indexer_writes_search_indexes(read_repository):
    text = "ServiceMaps:\n  mappings:\n    - topic: create-demand\n      indexes:\n        - name: demand-v1\n"
    (flow,) = read_repository({"demand-indexer.yml": text}).of(DeclaredFlow)

    assert (flow.job, flow.origin.name, flow.target.name) == ("egov-indexer", "create-demand", "demand-v1")
    assert flow.evidence == "demand-indexer.yml:3"
