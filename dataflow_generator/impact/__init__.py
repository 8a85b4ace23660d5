"""Impact: what is affected if a node of the graph is renamed or dropped. No I/O."""

from dataflow_generator.impact.search import Affected, Root, impact
from dataflow_generator.impact.surroundings import Asked, Spot, Use

__all__ = ["Affected", "Asked", "Root", "Spot", "Use", "impact"]
