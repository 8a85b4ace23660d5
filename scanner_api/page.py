"""The parts of the HTML page, for a server that feeds it."""

from dataflow_generator.render.page import live_page, live_script, live_style

__all__ = ["live_page", "live_script", "live_style"]
