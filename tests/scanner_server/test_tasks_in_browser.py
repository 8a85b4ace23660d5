"""Five questions that people come with: each is answered after at most three actions on the home page."""

from __future__ import annotations

from typing import Any

import pytest
from chromium import settle

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def search(page: Any, words: str) -> None:
    """Choose the first hit of a search: two actions, to type and to press Enter."""
    page.locator("#search").fill(words)
    page.locator("#hits li", has_text=words).first.wait_for()
    page.locator("#search").press("Enter")
    page.wait_for_url("**/flow#**")
    settle(page)


def test_who_is_affected_if_a_column_is_dropped_and_whom_to_call(visit) -> None:
    """Three actions: type, Enter, Impact."""
    page = visit("/")
    search(page, "orders.total")
    page.get_by_role("button", name="Impact").click()
    page.locator("#panel", has_text="Jobs and consumer groups (5)").wait_for()
    shown = page.locator("#panel").inner_text()

    assert "a change affects 4 jobs and 1 consumer group in 3 systems; ask team-shop, team-streaming" in shown
    for owner in ("team-shop", "team-streaming", "team-warehouse"):
        assert f"owner: {owner}" in shown


def test_where_the_email_goes(visit) -> None:
    """Two actions: type, Enter."""
    page = visit("/")
    search(page, "customers.email")
    page.locator(".card", has_text="crm_customers").wait_for()

    cards = " ".join(page.locator(".card").all_inner_texts())
    for name in ("cdc.customers", "crm_customers", "orders-enriched", "order-mails"):
        assert name in cards


@pytest.mark.parametrize(("box", "count"), [("without owner", 8), ("without schema", 10)])
def test_which_topics_have_no_owner_or_schema(visit, box, count) -> None:
    """Two actions: Topics, the box."""
    page = visit("/")
    page.get_by_role("link", name="Topics", exact=True).click()
    page.get_by_label(box).check()
    page.locator("caption", has_text=f"{count} of 24 topics").wait_for()

    assert page.locator("tbody tr").count() == count


def test_what_changed_and_who_reads_it(visit) -> None:
    """One action: Changes."""
    page = visit("/")
    page.get_by_role("link", name="Changes", exact=True).click()
    page.locator("tbody tr").first.wait_for()

    lines = page.locator("tbody tr").all_inner_texts()
    assert any("nightly-invoicing" in line or "ask-for-review" in line or "removed" in line for line in lines)


def test_what_is_stale_behind_the_failed_connector(visit) -> None:
    """No action: the home says it."""
    page = visit("/")
    failure = page.locator(".failure", has_text="orders-as-json")

    assert "1 item downstream is stale: /tmp/scanner-lab-0/data/connect/orders.txt" in failure.inner_text()
