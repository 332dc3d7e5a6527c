"""A small picture of a session: one lane for each kind of event, drawn the same to the byte every time."""

from collections.abc import Sequence

from assay.runs.telemetry import KINDS, Trace

_WIDTH, _LEFT, _TOP, _LANE, _BAR = 720, 90, 8, 18, 12
_BINS = 300
_COLOURS = {
    "action": "#4c78a8",
    "tool_call": "#72a0c9",
    "error": "#c0392b",
    "patch": "#2e8b57",
    "context": "#8c8c8c",
    "claim": "#8e5ea2",
    "checkpoint": "#b07d2b",
}


def timeline(trace: Trace) -> str:
    """Return an SVG of the session: time runs to the right (by order of events where no clock was kept), a bar stands
    where there are events, the darker the more. Its title and description say the same in words."""
    places, axis = _places(trace)
    lanes = [[0] * _BINS for _ in KINDS]
    for code, place in zip(trace.kinds, places, strict=True):
        lanes[code][place] += 1
    used = [code for code in range(len(KINDS)) if any(lanes[code])]
    height = _TOP * 2 + _LANE * len(used) + 16
    counts = ", ".join(f"{sum(lanes[code])} {KINDS[code].replace('_', ' ')}" for code in used)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" '
        f'viewBox="0 0 {_WIDTH} {height}" role="img" font-family="sans-serif" font-size="11">',
        "<title>Timeline of the session</title>",
        f"<desc>Events by kind: {counts}. {axis}.</desc>",
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
    ]
    for row, code in enumerate(used):
        parts += _lane(KINDS[code], lanes[code], _TOP + row * _LANE)
    parts.append(f'<text x="{_LEFT}" y="{height - 6}" fill="#333333">{axis}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _places(trace: Trace) -> tuple[Sequence[int], str]:
    """Return the bin of each event and what the axis shows."""
    count = len(trace.kinds)
    times = trace.times
    if count and len(times) == count and times[-1] > times[0]:
        start, span = times[0], times[-1] - times[0]
        return [(moment - start) * (_BINS - 1) // span for moment in times], f"0 to {_duration(span)}"
    return [
        place * (_BINS - 1) // max(count - 1, 1) for place in range(count)
    ], f"{count} events in order, without a clock"


def _duration(span: int) -> str:
    seconds = span // 1000000
    hours, minutes = seconds // 3600, seconds // 60 % 60
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {seconds % 60} s" if minutes else f"{seconds} s"


def _lane(kind: str, bins: Sequence[int], top: int) -> list[str]:
    width = _WIDTH - _LEFT - _TOP
    base = top + _BAR
    label = kind.replace("_", " ")
    parts = [
        f'<text x="{_LEFT - 6}" y="{base - 2}" text-anchor="end" fill="#333333">{label}</text>',
        f'<line x1="{_LEFT}" y1="{base}" x2="{_LEFT + width}" y2="{base}" stroke="#dddddd"/>',
    ]
    most = max(bins)
    for place, number in enumerate(bins):
        if number:
            x = _LEFT + place * width // _BINS
            shade = 40 + 60 * number // most
            parts.append(
                f'<rect x="{x}" y="{top}" width="2" height="{_BAR}" fill="{_COLOURS[kind]}" '
                f'fill-opacity="{"1" if shade == 100 else f"0.{shade}"}"/>'
            )
    return parts
