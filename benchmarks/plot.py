"""A plot of seconds over sizes as SVG, both axes logarithmic; written by hand, so that nothing need be installed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

_WIDTH, _HEIGHT, _LEFT, _TOP, _RIGHT, _BOTTOM = 640, 400, 70, 20, 150, 50
_COLOURS = ("#1b6ca8", "#c0504d", "#6a9f3d", "#8064a2")

Points = Sequence[tuple[float, float]]


def plot(lines: Mapping[str, Points], across: str, up: str) -> str:
    """Build each of *lines* by its name; *across* and *up* say what the axes are."""
    points = [point for line in lines.values() for point in line]
    wide = _decades([x for x, _ in points])
    high = _decades([y for _, y in points])

    def at(x: float, y: float) -> tuple[float, float]:
        return (
            _LEFT + (math.log10(x) - wide[0]) / (wide[-1] - wide[0]) * (_WIDTH - _LEFT - _RIGHT),
            _HEIGHT - _BOTTOM - (math.log10(y) - high[0]) / (high[-1] - high[0]) * (_HEIGHT - _TOP - _BOTTOM),
        )

    box = f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="12"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {box}>']
    parts.append(f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>')
    for power in wide:
        x, y = at(10**power, 10 ** high[0])
        parts.append(f'<line x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{x:.1f}" y="{y + 18:.1f}" text-anchor="middle">{10**power:,}</text>')
    for power in high:
        x, y = at(10 ** wide[0], 10**power)
        parts.append(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{_WIDTH - _RIGHT}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(f'<text x="{x - 8:.1f}" y="{y + 4:.1f}" text-anchor="end">{10**power:,}</text>')
    for colour, (name, line) in zip(_COLOURS, lines.items(), strict=False):
        placed = [at(*point) for point in line]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in placed]
        x, y = placed[-1]
        parts.append(f'<text x="{x + 8:.1f}" y="{y + 4:.1f}" fill="{colour}">{name}</text>')
    parts.append(f'<text x="{_LEFT}" y="{_HEIGHT - 10}">{across}</text>')
    parts.append(f'<text x="8" y="{_TOP - 6}">{up}</text></svg>')
    return "\n".join(parts) + "\n"


def _decades(values: Sequence[float]) -> range:
    return range(math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))) + 1)
