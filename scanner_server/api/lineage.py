"""Operations over the generated graph: what is near a node, paths between two, and the impact of a change."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from scanner_api.dictionary import Dictionary
from scanner_api.graph.history import GraphOfScan, graphs
from scanner_api.graph.lineage import impact as find_impact
from scanner_api.graph.neighbourhood import Hops, neighbourhood
from scanner_api.graph.neighbourhood import paths as find_paths
from scanner_api.graph.overview import overview
from scanner_server.api.answers import (
    ImpactList,
    Listed,
    Neighbourhood,
    PathList,
    WholeGraph,
    impact_answer,
    impact_csv,
    neighbourhood_answer,
    overview_answer,
    paths_answer,
)
from scanner_server.api.parameters import AsOf, NodeName

Steps = Annotated[int, Field(ge=0, le=50, description="How many edges to follow.")]


def get_lineage(
    dictionary: Dictionary,
    *,
    node: NodeName,
    upstream: Steps = 1,
    downstream: Steps = 1,
    columns: Annotated[bool, Field(description="Also schemas and columns of the topics and datasets.")] = False,
    limit: Annotated[int, Field(ge=1, le=20_000, description="How many edges at most.")] = 2_000,
    as_of: AsOf = None,
) -> Neighbourhood:
    """Return the nodes and edges within some hops of a node, and how many edges each node has in the whole graph."""
    hops = Hops(upstream=upstream, downstream=downstream, columns=columns, edges=limit)
    return neighbourhood_answer(neighbourhood(dictionary, node, hops, as_of=as_of))


def get_overview(
    dictionary: Dictionary,
    *,
    limit: Annotated[int, Field(ge=1, le=10_000, description="No nodes where there are more.")] = 2_000,
    as_of: AsOf = None,
) -> WholeGraph:
    """Return the graph without schemas and columns, with its coverage and problems."""
    return overview_answer(overview(dictionary, limit=limit, as_of=as_of))


def list_graphs(dictionary: Dictionary) -> Listed[GraphOfScan]:
    """List the scans whose graphs can be read and compared, the oldest first."""
    return Listed(items=graphs(dictionary), next_cursor=None)


def get_paths(
    dictionary: Dictionary,
    *,
    start: Annotated[NodeName, Field(alias="from")],
    end: Annotated[NodeName, Field(alias="to")],
    limit: Annotated[int, Field(ge=1, le=100, description="How many paths at most.")] = 10,
    as_of: AsOf = None,
) -> PathList:
    """Return the shortest paths on which data go from one node to another, or back where there is none."""
    return paths_answer(find_paths(dictionary, start, end, limit=limit, as_of=as_of))


Depth = Annotated[int | None, Field(ge=1, le=100, description="At most so many edges from the node.")]


def get_impact(dictionary: Dictionary, *, node: NodeName, depth: Depth = None, as_of: AsOf = None) -> ImpactList:
    """List what is affected if a node is renamed or dropped, the nearest first."""
    return impact_answer(find_impact(dictionary, node, depth=depth, as_of=as_of), _MOST_AFFECTED)


def get_impact_csv(dictionary: Dictionary, *, node: NodeName, depth: Depth = None, as_of: AsOf = None) -> str:
    """List what is affected as CSV."""
    return impact_csv(impact_answer(find_impact(dictionary, node, depth=depth, as_of=as_of)))


_MOST_AFFECTED = 10_000
