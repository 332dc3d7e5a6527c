"""Colours by meaning, each for light and for dark paper; told apart with every common colour blindness.

Blue and vermilion are those of Okabe and Ito (Color Universal Design, 2008), darkened or lightened until they contrast
with the paper by 4.5 : 1 or more. A picture is drawn in the light colours; `style` turns them for dark paper.
"""

from collections.abc import Collection

INK, MUTED, FAINT, GRID, PAPER = "#1a2129", "#566270", "#838e99", "#e1e5ea", "#fefefe"
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


def _luminance(colour: str) -> float:
    """Return the relative luminance of a colour (WCAG 2.2)."""
    shares = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, 1 to 21 (WCAG 2.2)."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _readable(paper: str, step: int) -> str:
    """Return the black or white that is readable on `paper`, a hair off for each step, so that each has a name."""
    return max((f"#0000{step:02x}", f"#ffff{255 - step:02x}"), key=lambda colour: contrast(colour, paper))


HEAT = tuple(_mixed(_LOW, _HIGH, step) for step in range(STEPS))
HEAT_DARK = tuple(_mixed(_DARK_LOW, _DARK_HIGH, step) for step in range(STEPS))
ON_HEAT = tuple(_readable(colour, step) for step, colour in enumerate(HEAT))
_THEMES = {
    **_DARK,
    **{light: (f"h{step}", dark) for step, (light, dark) in enumerate(zip(HEAT, HEAT_DARK, strict=True))},
    **{ON_HEAT[step]: (f"t{step}", _readable(HEAT_DARK[step], step)) for step in range(STEPS)},
}


def heat(share: float) -> tuple[str, str]:
    """Return the colour of a share of 0..1 and the colour of a text on it."""
    step = min(STEPS - 1, max(0, int(share * STEPS)))
    return HEAT[step], ON_HEAT[step]


def name_of(colour: str) -> str | None:
    """Return the name of a light colour of this palette, None for another one."""
    found = _THEMES.get(colour.lower())
    return found[0] if found else None


def themes() -> dict[str, tuple[str, str]]:
    """Return every colour by name, for light and for dark paper."""
    return {name: (light, dark) for light, (name, dark) in _THEMES.items()}


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
