"""The pages without a drawing in a real browser: home, lists, a topic, a change, and what all pages have."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import changing_installation as changing
import pytest
from chromium import SCANNER, serving, settle, violations

from dataflow_generator.build.store import generate, store
from dataflow_generator.graph import FlowGraph, Node, NodeKind
from scanner_api.dictionary import open_dictionary

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

ORDERS = "/topic?cluster=retail&topic=orders"
PAGES = (
    *("/", "/topics", "/columns?tag=PII", "/jobs", "/subjects", "/sources", "/findings", "/scans", ORDERS),
    *("/change?node=orders.customer.email", "/changes", "/search?q=order"),
    *(f"{ORDERS}&tab={tab}" for tab in ("users", "lineage", "versions", "delete")),
)
WIDTHS = (390, 1440)


def rows(page: Any) -> list[str]:
    """Return the texts of the rows of the page's table."""
    return [row.inner_text() for row in page.locator("tbody tr").all()]


@pytest.mark.parametrize("path", PAGES)
def test_pages_fit_and_axe_finds_no_violation_in_light_or_dark(visit, path) -> None:
    """On a telephone and on a screen: nothing is wider than the window, names and contrast are as they should be."""
    page = visit(path)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            assert violations(page, *(() if theme == "light" else ("color-contrast",))) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", WIDTHS)
def test_the_drawing_fits_the_window(visit, width) -> None:
    """Its header has the most in it."""
    page = visit("/flow")
    page.set_viewport_size({"width": width, "height": 900})

    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_home_begins_with_what_is_wrong(visit) -> None:
    """A failed connector, the rules with their counts, and the source that was not read."""
    text = visit("/").locator("main").inner_text()

    for words in (
        "connector orders-as-json",
        "Tolerance exceeded",
        "topic without schema",
        "connect:lab",
        "31\ntopics",
        "1 failed",
        "1 item downstream is stale",
        "5 of 5 SQL statements resolved to columns",
        "5 problems",
    ):
        assert words in text


def test_the_count_of_all_jobs_leads_to_all_and_that_of_the_failed_ones_to_them(visit) -> None:
    for link in (".counted", ".note"):
        page = visit("/")
        shown = page.locator(".tile.error").locator(link)
        counted = int(shown.inner_text().split()[0])
        shown.click()
        page.locator("tbody tr").first.wait_for()
        settle(page)

        assert len(rows(page)) == counted


def test_the_jobs_are_no_topics(visit) -> None:
    """What is chosen from the start holds until somebody chooses another kind."""
    listed = rows(visit("/jobs"))

    assert any(row.startswith("orders-as-json") for row in listed)
    assert not any(row.startswith("catalog.categories") for row in listed)


def test_what_a_system_has_is_read_when_it_is_opened(visit) -> None:
    """A hundred thousand topics are not on the home."""
    page = visit("/")
    page.locator("summary", has_text="9 jobs").click()
    settle(page)
    listed = page.locator(".systems details[open] li")
    listed.first.wait_for()

    assert {"orders-to-dr"} <= {line.split()[0] for line in listed.all_inner_texts()}
    assert listed.count() == 9
    assert listed.filter(has_text="failed").count() == 1


def test_health_is_in_the_header_of_every_page(visit) -> None:
    """Each number opens its list."""
    page = visit("/flow")
    page.get_by_role("link", name="1 error").click()
    page.locator("tbody tr").first.wait_for()

    assert "orders-as-json" in rows(page)[0]
    assert page.locator("#about a").all_inner_texts()[0] == "1 error"
    assert page.get_by_role("link", name="1 stale source").count() == 1


def test_a_filter_is_in_the_address_and_the_address_filters(visit) -> None:
    """Somebody else sees the same list."""
    page = visit("/topics")
    page.get_by_label("without schema").check()
    page.wait_for_url("**/topics?without_schema=true")
    settle(page)
    again = visit("/topics?without_schema=true&pattern=cdc")

    assert len(rows(page)) == 10
    assert [row.split()[0] for row in rows(again)] == ["cdc.orders"]


def test_a_list_is_sorted_with_the_keyboard(visit) -> None:
    """The heading keeps the focus."""
    page = visit("/subjects")
    before = rows(page)
    page.locator(".sort").first.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")

    assert rows(page) == sorted(before, reverse=True)
    assert page.evaluate("document.activeElement.className") == "sort"


def test_internal_topics_are_listed_on_request(visit) -> None:
    """The toggle says how many there are."""
    page = visit("/topics")
    hidden = rows(page)
    page.get_by_label("internal topics (7)").check()
    page.locator("tbody tr", has_text="__consumer_offsets").wait_for()

    assert len(hidden) == 24
    assert len(rows(page)) == 31


def test_a_column_with_one_value_is_said_in_the_caption(visit) -> None:
    """A column that is the same in every row says nothing about a row."""
    page = visit("/topics")

    assert "cluster: retail" in page.locator("caption").inner_text()
    assert "cluster" not in page.locator("thead").inner_text()


def test_what_is_downstream_of_a_failed_connector_is_stale_with_its_cause(visit) -> None:
    """On the card, and in the list of datasets."""
    file = "dataset:file//tmp/scanner-lab-0/data/connect/orders.txt"
    chip = visit(f"/flow#node={file}").locator(f'.card[data-key="{file}"] .doubt', has_text="stale")
    listed = visit("/jobs?kind=dataset").locator("tr", has_text="orders.txt").locator(".doubt")

    chip.wait_for()
    listed.wait_for()
    assert [each.get_attribute("title") for each in (chip, listed)] == [
        "because orders-as-json failed: 1 of 1 tasks FAILED"
    ] * 2


def test_a_number_leads_to_what_it_counts(visit) -> None:
    """The findings of one topic, and not those of all."""
    page = visit("/topics?pattern=clicks")
    page.locator("tr", has=page.get_by_role("link", name="clicks", exact=True)).get_by_role("link", name="3").click()
    page.locator(".rule").wait_for()

    assert page.locator("tbody tr, .rule li").count() == 3


def test_a_failed_connector_is_no_running_one(visit) -> None:
    """Its state has what its tasks say, with the first line of the trace."""
    page = visit("/jobs?failed=true")

    assert len(rows(page)) == 1
    assert "RUNNING, 1 of 1 tasks FAILED" in rows(page)[0]
    assert "Tolerance exceeded" in rows(page)[0]


def test_the_search_leads_from_any_page_to_a_topic(visit) -> None:
    """With the keyboard alone."""
    page = visit("/scans")
    page.keyboard.press("/")
    page.keyboard.type("legacy.invoices")
    page.keyboard.press("Enter")
    page.locator("h2", has_text="legacy.invoices").wait_for()


def test_the_theme_is_that_of_all_pages(visit) -> None:
    """Chosen once."""
    page = visit("/")
    page.keyboard.press("d")
    page.keyboard.press("d")
    chosen = page.locator("html").get_attribute("data-theme")
    again = visit("/flow")

    assert chosen == "light"
    assert again.locator("html").get_attribute("data-theme") == "light"


def test_links_of_the_drawing_to_the_home_lead_to_the_drawing(visit) -> None:
    """They are in tickets."""
    page = visit("/#node=topic:kafka://127.0.0.1:29092/orders")
    page.wait_for_url("**/flow#**")
    page.locator(".card.chosen").wait_for()


def test_a_topic_has_two_versions_side_by_side(visit) -> None:
    """What differs is marked, and whether the registry takes one after the other is said with its level."""
    page = visit(ORDERS)
    page.get_by_role("tab", name="Versions").click()
    table = page.locator("table", has=page.locator("caption", has_text="7 of 21 columns differ"))
    table.wait_for()

    assert table.locator("tbody tr").count() == table.locator(".mark-added").count() == 7
    assert table.locator("th", has_text="version 1").count() == 1
    assert page.locator("summary", has_text="14 columns equal").count() == 1
    shown = page.locator("section", has=page.get_by_role("heading", name="Versions")).inner_text()
    assert "at the level BACKWARD" in shown
    assert "readers of 2, data of 1" in shown


def test_a_topic_without_a_schema_has_the_columns_that_flows_name(visit) -> None:
    """With their evidence."""
    text = visit("/topic?cluster=retail&topic=orders-enriched").locator("main").inner_text()

    assert "customer_email" in text
    assert "statement flink/retail.sql:2" in text


def test_a_topic_may_not_be_deleted_while_it_is_read(visit) -> None:
    """What refers to it is listed."""
    page = visit(ORDERS)
    page.get_by_role("tab", name="Delete").click()
    page.locator("caption", has_text="What refers to it").wait_for()

    assert page.locator("[role=tabpanel] .doubt").first.inner_text() == "no"
    assert "order-service" in page.locator("[role=tabpanel]").inner_text()


def test_a_pasted_schema_is_checked_and_the_link_checks_it_again(visit) -> None:
    """Whom to call, and the same as Markdown."""
    page = visit("/change?subject=orders-value")
    page.locator("#pasted").fill(json.dumps({"type": "record", "name": "Order", "fields": []}))
    page.get_by_role("button", name="Check", exact=True).click()
    page.locator(".verdict").wait_for()
    settle(page)
    again = visit(page.url)

    shown = [each.locator("#result").inner_text() for each in (page, again)]
    assert shown[0] == shown[1]
    assert "Whom to call" in shown[0]
    assert "order-service" in shown[0]
    assert page.locator("#result textarea").input_value().startswith("## Affects others: subject `orders-value`")


PROPOSED = Path(__file__).parents[2] / "examples/retail/proposed"


def test_a_chosen_file_is_checked_as_its_pasted_text(visit) -> None:
    """It chooses what changes, and has its name."""
    page, pasted = visit("/change"), visit("/change?subject=orders-value")
    page.locator("#file").set_input_files(PROPOSED / "orders-value.avsc")
    pasted.locator("#pasted").fill((PROPOSED / "orders-value.avsc").read_text())
    pasted.get_by_role("button", name="Check", exact=True).click()
    for each in (page, pasted):
        each.locator(".verdict").wait_for()
        settle(each)

    assert [page.locator(field).input_value() for field in ("#kind", "#name")] == ["subject", "orders-value"]
    assert page.locator("#result").inner_text() == pasted.locator("#result").inner_text()

    config = json.loads((PROPOSED / "customers-to-lake.json").read_text())["config"]
    page.evaluate(DROP, ["sink.json", json.dumps({"name": "clicks-to-file", "config": config})])
    page.locator("#result", has_text="clicks-to-file").wait_for()

    assert [page.locator(field).input_value() for field in ("#kind", "#name")] == ["connector", "clicks-to-file"]


DROP = """([name, text]) => {
  const data = new DataTransfer();
  data.items.add(new File([text], name));
  const form = document.querySelector("form.change");
  form.dispatchEvent(new DragEvent("dragover", {dataTransfer: data, cancelable: true, bubbles: true}));
  form.dispatchEvent(new DragEvent("drop", {dataTransfer: data, cancelable: true, bubbles: true}));
}"""


def test_a_dropped_file_is_checked_under_the_name_that_was_entered(visit) -> None:
    page = visit("/change?subject=orders-value")
    page.evaluate(DROP, ["Order.avsc", json.dumps({"type": "record", "name": "Order", "fields": []})])
    page.locator(".verdict").wait_for()

    assert page.locator("#name").input_value() == "orders-value"


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("orders.csv", "a,b", "orders.csv: choose a schema"),
        ("orders.avsc", '{"type": ', "orders.avsc: invalid JSON"),
        ("package.json", '{"private": true}', "package.json: neither a schema nor a connector"),
        ("orders.proto", " ", "orders.proto: the file is empty"),
    ],
)
def test_a_file_that_proposes_nothing_is_an_error(visit, file, text, message) -> None:
    """What was entered stays."""
    page = visit("/change?subject=orders-value")
    page.evaluate(DROP, [file, text])

    assert page.locator("[role=alert]").inner_text().startswith(message)
    assert page.locator("#name").input_value() == "orders-value"
    assert page.locator("#result").inner_text() == ""


def test_a_tag_that_nothing_has_leads_to_the_nearest_tag_and_to_suggested_columns(visit) -> None:
    for link, address in (("PII", "?tag=PII"), ("columns whose names suggest it", "?tag=PI&tags=suggested")):
        page = visit("/columns?tag=PI")
        page.locator("main").get_by_role("link", name=link, exact=True).click()
        page.wait_for_url(f"**/columns{address}")


def test_each_filter_is_a_chip_that_removes_it(visit) -> None:
    page = visit("/topics?pattern=orders&without_writer=true&sort=readers")
    filtered = {row.split()[0] for row in rows(page)}
    page.get_by_role("link", name="Remove the filter without writer").click()
    settle(page)

    assert page.url.endswith("?pattern=orders&sort=readers")
    assert page.locator(".chip").all_inner_texts() == ["Name: orders ×"]
    assert filtered < {row.split()[0] for row in rows(page)}


def test_all_filters_are_removed_together(visit) -> None:
    page = visit("/topics")
    assert page.locator(".chips").is_hidden()
    page.get_by_role("searchbox", name="Name").fill("orders")
    page.locator(".chip", has_text="Name: orders").wait_for()
    page.get_by_label("without writer").check()
    page.get_by_role("link", name="Clear all").click()
    settle(page)

    assert "pattern" not in page.url
    assert page.locator("caption").inner_text().startswith("24 topics")


@pytest.mark.parametrize("facet", ["retail: ", "postgres://", "job"])
def test_a_facet_of_a_search_leads_to_what_it_counts(visit, facet) -> None:
    """Kinds and places; a place may be a system that is no cluster."""
    page = visit("/search?q=orders")
    link = page.locator("main p.acts a", has_text=facet).first
    count = int(link.inner_text().rpartition(": ")[2])
    link.click()
    page.locator(".chip").wait_for()
    settle(page)

    assert len(rows(page)) - page.locator("tr.group").count() == count


def test_a_name_that_is_not_known_is_an_error_with_the_nearest(visit, browser, address) -> None:
    """Nothing is lost: the form has what was entered."""
    page = browser.new_page()
    page.goto(f"{address}/change?node=orderz")
    page.locator("[role=alert]").wait_for()

    assert "did you mean" in page.locator("[role=alert]").inner_text()
    assert page.locator("#name").input_value() == "orderz"
    page.close()


def test_a_name_of_several_nodes_is_answered_with_links_to_them(browser, tmp_path) -> None:
    """The drawing is not empty meanwhile."""
    named = (("dataset", "mysql://db:3306"), ("dataset", "postgres://db:5432"))
    nodes = [Node(f"{kind}:{space}/x.orders", NodeKind(kind), space, "x.orders") for kind, space in named]
    engine = changing.write_state(tmp_path / "same.db", changing.installation())
    store(engine, FlowGraph(nodes=lambda: iter(nodes), edges=lambda: iter(())))
    engine.dispose()
    with serving(SCANNER, open_dictionary(tmp_path / "same.db").url) as address:
        page = browser.new_page()
        page.goto(f"{address}/flow#node=x.orders")
        page.locator("[role=alert]").wait_for()

        assert page.locator("[role=alert] a").all_inner_texts() == [node.key for node in nodes]
        assert "2 nodes" in page.locator("#footer").inner_text()
        page.locator("[role=alert] a").first.click()
        page.locator(".card.chosen", has_text="orders").wait_for()
        page.close()


def test_evidence_shows_the_setting_and_its_value_or_the_sql(visit) -> None:
    """In the place where one looks for the reason, with the keyboard as with the mouse."""
    column = "column:postgres://127.0.0.1:29432/warehouse.public.order_facts%23amount"
    page = visit(f"/flow#node={column}")
    page.keyboard.press("p")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.className") == "how":
            break
    page.keyboard.press("Enter")
    page.locator(".proof dd").first.wait_for()
    sql = visit("/flow#node=topic:kafka://127.0.0.1:29092/order-mails")
    sql.locator("#panel .how").first.click()
    sql.locator(".proof mark").wait_for()

    assert "orders-enriched" in page.locator(".proof").inner_text()
    assert "INSERT INTO order_mails" in sql.locator(".proof mark").inner_text()


def test_the_keyboard_alone_leads_from_the_search_to_the_evidence(visit) -> None:
    """From the home: search a column, choose it, draw only its lineage, and read why a flow is there."""
    page = visit("/")
    press = page.keyboard.press
    press("/")
    page.keyboard.type("order_facts.amount")
    page.locator("#hits [data-key]").first.wait_for()
    press("Enter")
    page.wait_for_url("**/flow#**")
    page.locator(".row.chosen").wait_for()
    settle(page)
    press("f")
    press("p")
    for _ in range(30):
        press("Tab")
        if page.evaluate("document.activeElement.className") == "how":
            break
    press("Enter")
    page.locator(".proof dd").first.wait_for()

    assert "warehouse-orders" in page.locator(".proof").inner_text()
    assert page.locator(".card").count() == 9


def test_focus_draws_one_lineage_with_its_jobs(visit) -> None:
    """And nothing beside it."""
    column = "column:postgres://127.0.0.1:29432/warehouse.public.order_facts#amount"
    page = visit("/flow")
    page.keyboard.press("/")
    page.keyboard.type("warehouse.public.order_facts")
    page.keyboard.press("Enter")
    page.locator(".card.chosen").wait_for()
    settle(page)
    page.goto(page.url.partition("#")[0] + "#node=" + column.replace("#", "%23"))
    page.locator(".row.chosen").wait_for()
    settle(page)
    page.keyboard.press("f")

    assert sorted(
        page.locator(".card").evaluate_all("all => all.map((each) => each.dataset.key.split('/').pop())")
    ) == [
        *("cdc.customers", "cdc.orders", "orders-enriched", "retail.sql:2", "shop-cdc", "shop.public.customers"),
        *("shop.public.orders", "warehouse-orders", "warehouse.public.order_facts"),
    ]


def test_a_finding_of_a_failed_connector_shows_the_trace_with_its_cause(visit) -> None:
    """Its first line says that a record failed, its last cause why."""
    page = visit("/findings?rule=failed-connector")
    page.get_by_text("Why orders-as-json failed").click()

    assert "Invalid UTF-32 character" in page.locator("details pre").inner_text()
    assert "scanner jobs" not in page.locator("main").inner_text()


def test_a_name_that_means_something_else_says_so(visit) -> None:
    """The topic orders has no column total; a table has."""
    page = visit("/flow#node=orders.total")

    assert "the topic orders has no such column" in page.locator("#panel").inner_text()


def test_the_drawing_is_in_the_page_of_a_topic(visit) -> None:
    """Without a header of its own; what is chosen in it opens in the window."""
    page = visit(f"{ORDERS}&tab=lineage")
    drawing = page.frame_locator("iframe")
    drawing.locator(".card", has_text="orders-as-json").wait_for()

    assert not drawing.locator("header").is_visible()
    assert drawing.locator("base").get_attribute("target") == "_top"


def test_a_number_opens_exactly_what_it_counts(visit) -> None:
    """Readers are not listed with writers."""
    page = visit("/topics?pattern=cdc.customers")
    count = page.locator("td[data-name=readers] a").inner_text()
    page.locator("td[data-name=readers] a").click()
    page.wait_for_url("**/topic?**use=reads")
    settle(page)

    assert page.locator("h3", has_text=f"Read by {count}").count() == 1
    assert {row.split()[0] for row in rows(page)} == {"reads"}
    assert len(rows(page)) == int(count)


def test_a_list_says_how_many_rows_there_are_of_all(visit) -> None:
    """A filter leaves some out."""
    caption = visit("/topics?pattern=orders").locator("caption").inner_text()

    assert caption.startswith(f"{len(ORDER_TOPICS)} of 24 topics")


ORDER_TOPICS = (
    "cdc.orders",
    "orders",
    "orders-by-country",
    "orders-enriched",
    "orders.RETRY",
    "raw.public.orders",
    "retail.orders",
)


@pytest.fixture(scope="module")
def many(tmp_path_factory) -> Iterator[str]:
    """Serve a dictionary of 4,000 topics with its graph."""
    names = ("a.orders", "b.paid", *(f"={number:04}" if number == 7 else f"t{number:04}" for number in range(3_998)))
    with serving(SCANNER, written(tmp_path_factory.mktemp("many") / "many.db", names)) as address:
        yield address


def written(file: Path, topics: tuple[str, ...]) -> str:
    """Write a dictionary with *topics* and its graph, and return its URL."""
    engine = changing.write_state(file, changing.installation(topics=topics))
    generate(engine)
    engine.dispose()
    return open_dictionary(file).url


def test_a_long_list_reads_on_while_it_is_scrolled_and_keeps_few_lines(visit, many) -> None:
    """Each row is there when it comes into view, and only rows near the window are lines of the table."""
    page = visit(f"{many}/topics")
    assert page.locator("caption").inner_text().startswith("200 of 4,000 topics")
    while page.locator("#more").count():
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        settle(page)
    page.locator("caption", has_text="4,000 topics").wait_for()
    page.locator("tbody tr", has_text="t3997").scroll_into_view_if_needed()
    page.locator("tbody[data-away]").first.wait_for(state="attached")

    assert page.locator("tbody tr").count() < 3_000
    page.evaluate("scrollTo(0, 0)")
    page.locator("tbody tr", has_text="a.orders").wait_for()


def test_a_list_without_a_stored_count_is_counted_up_to_a_bound(visit, many) -> None:
    """A count of all would take as long as reading all."""
    page = visit(f"{many}/search?q=t1")

    assert page.locator("caption").inner_text().startswith("200 of more hits")
    assert "Other names may match: enter more of the name." in page.locator("main").inner_text()


def test_a_list_is_downloaded_whole_and_runs_no_formula(visit, many) -> None:
    """A spreadsheet opens it: a name that begins with = is text."""
    page = visit(f"{many}/topics")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download CSV").click()
    lines = Path(download.value.path()).read_text(encoding="utf-8").splitlines()

    assert (download.value.suggested_filename, len(lines)) == ("topics.csv", 4_001)
    assert lines[0].startswith("topic,cluster,owner,tags,")
    assert lines[1].startswith("'=0007,shop,")


def test_sorting_takes_the_rows_that_are_not_read_yet(visit, many) -> None:
    """The last topic by name is not among the first 200."""
    page = visit(f"{many}/topics")
    for _ in range(2):
        page.locator(".sort", has_text="topic").click()
        settle(page)

    assert rows(page)[0].split()[0] == "t3997"


def test_a_large_estate_starts_with_its_systems(visit, tmp_path) -> None:
    """Thousands of cards say nothing; a system is opened as a list."""
    names = ("a.orders", "b.paid", *(f"t{number}" for number in range(6_000)))
    with serving(SCANNER, written(tmp_path / "large.db", names)) as address:
        page = visit(f"{address}/flow")
        systems = page.locator(".card.folded")
        systems.first.wait_for()
        assert systems.filter(has_text="6,002").count() == 1
        assert page.locator(".curve").count() > 0
        systems.filter(has_text="6,002").click()
        page.locator("#panel a", has_text="a.orders").click()
        page.locator(".card.chosen", has_text="a.orders").wait_for()
        assert page.locator(".card.folded").count() == 0
