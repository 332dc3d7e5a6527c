"""Colours by meaning, each for light and for dark paper; told apart with every common colour blindness.

Blue and vermilion are those of Okabe and Ito (Color Universal Design, 2008), darkened or lightened until they contrast
with the paper by 4.5 : 1 or more. A picture is drawn in the light colours; `style` turns them for dark paper.
"""

from collections.abc import Collection

INK, MUTED, FAINT, GRID, PAPER = "#1a2129", "#566270", "#98a2ad", "#e1e5ea", "#fefefe"
ACCENT, SOFT, WARN = "#0b66a8", "#b9d5ea", "#b8480f"

_DARK = {
    INK: ("ink", "#e7ebef"),
    MUTED: ("muted", "#a4afba"),
    FAINT: ("faint", "#6c7885"),
    GRID: ("grid", "#2c343d"),
    PAPER: ("paper", "#14191f"),
    ACCENT: ("accent", "#62b5f0"),
    SOFT: ("soft", "#1f4564"),
    WARN: ("warn", "#f58a4b"),
}
STEPS = 20
_LOW, _HIGH = (0xF4, 0xF7, 0xFA), (0x08, 0x3C, 0x66)
_DARK_LOW, _DARK_HIGH = (0x1B, 0x22, 0x2A), (0x8F, 0xCB, 0xF5)


def _mixed(low: tuple[int, ...], high: tuple[int, ...], step: int) -> str:
    share = step / (STEPS - 1)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(low, high, strict=True))


HEAT = tuple(_mixed(_LOW, _HIGH, step) for step in range(STEPS))
_THEMES = {**_DARK, **{HEAT[step]: (f"h{step}", _mixed(_DARK_LOW, _DARK_HIGH, step)) for step in range(STEPS)}}


def heat(share: float) -> tuple[str, str]:
    """Return the colour of a share of 0..1 and the colour of a text on it."""
    step = min(STEPS - 1, max(0, int(share * STEPS)))
    return HEAT[step], (PAPER if step >= STEPS // 2 else INK)


def name_of(colour: str) -> str | None:
    """Return the name of a light colour of this palette, None for another one."""
    found = _THEMES.get(colour.lower())
    return found[0] if found else None


def style(dark: bool, classes: Collection[str] | None = None) -> str:
    """Return the style rules that colour a picture's classes: `f-name` for areas and texts, `s-name` for lines.

    `classes` names those that are used; None stands for all.
    """
    rules = []
    for light, (name, other) in _THEMES.items():
        colour = other if dark else light
        rules += [
            f".{kind}-{name}{{{key}:{colour}}}"
            for kind, key in (("f", "fill"), ("s", "stroke"))
            if classes is None or f"{kind}-{name}" in classes
        ]
    return "".join(rules)
