"""From a Matplotlib figure to an SVG text: the same bytes everywhere, coloured by classes, safe inside a page.

Axes are placed by hand, so no position depends on how wide a font is on some machine; texts stay texts.
"""

import io
import re
from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from assay.report.figures.palette import FAINT, GRID, INK, MUTED, PAPER, name_of, style
from assay.report.figures.picture import Picture, only

SVG, LINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
SETTINGS = {
    "svg.fonttype": "none",
    "text.parse_math": False,  # a `$` in a title is a dollar
    "text.usetex": False,
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": MUTED,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.facecolor": "none",
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.titlesize": 10,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.unicode_minus": True,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": MUTED,
    "ytick.labelcolor": MUTED,
    "figure.facecolor": "none",
    "savefig.facecolor": "none",
    "lines.solid_capstyle": "butt",
}
# What a picture's elements may carry besides their geometry: everything else that Matplotlib writes is a default.
_CARRIED = ("fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "fill-opacity", "stroke-opacity")
_CARRIED += ("font-size", "font-weight", "text-anchor")


def canvas(width: float, height: float) -> Figure:
    """Return an empty figure of so many inches (72 points each)."""
    figure = Figure(figsize=(width, height))
    FigureCanvasSVG(figure)
    return figure


def panel(
    figure: Figure, left: float, top: float, right: float, bottom: float, columns: int = 1, column: int = 0
) -> Axes:
    """Return axes with these margins in inches, or one of `columns` equal ones beside each other."""
    width, height = figure.get_size_inches()
    gap = 0.35
    each = (width - left - right - gap * (columns - 1)) / columns
    start = left + column * (each + gap)
    return figure.add_axes((start / width, bottom / height, each / width, (height - top - bottom) / height))


def plain(text: str, most: int = 26) -> str:
    """Return a text for a picture: one line, nothing that XML cannot hold, at most `most` characters."""
    line = " ".join(re.sub(r"[^\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", " ", text).split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def picture(
    name: str,
    figure: Figure,
    description: str,
    columns: Sequence[str],
    rows: Sequence[Mapping[str, str]],
    titles: Mapping[str, str] | None = None,
) -> Picture:
    """Return a drawn figure with the numbers in it; see `svg_text`."""
    return Picture(name, svg_text(name, figure, description, titles), only(columns, rows))


def svg_text(name: str, figure: Figure, description: str, titles: Mapping[str, str] | None = None) -> str:
    """Return the figure as an SVG file.

    `description` is what a screen reader says; `titles` maps the address of a link to its words.
    """
    out = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": name}):
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    root = ElementTree.fromstring(out.getvalue())
    _tidy(root, name, titles or {})
    root.set("role", "img")
    root.set("aria-label", description)
    root.set("font-family", FONT)
    root.set("stroke-linejoin", "round")
    rules = ElementTree.Element(f"{{{SVG}}}style")
    classes = {one for element in root.iter() for one in element.get("class", "").split()}
    rules.text = f"@media (prefers-color-scheme: dark){{{style(True, classes)}}}"
    root.insert(0, rules)
    ElementTree.register_namespace("", SVG)
    ElementTree.register_namespace("xlink", LINK)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _tidy(root: ElementTree.Element, name: str, titles: Mapping[str, str]) -> None:
    """Turn style attributes into attributes and classes, make ids unique to the picture, and give links their words."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{SVG}}}metadata", f"{{{SVG}}}style"):
                parent.remove(child)
    used = {
        target[1:] for element in root.iter() for target in [element.get(f"{{{LINK}}}href", "")] if target[:1] == "#"
    }
    used |= {found for element in root.iter() for found in re.findall(r"url\(#([^)]+)\)", element.get("clip-path", ""))}
    for element in root.iter():
        element.text = element.text and (element.text if element.text.strip() else None)
        element.tail = None
        if element.get("id") in used:
            element.set("id", f"{name}-{element.get('id')}")
        elif "id" in element.attrib:
            del element.attrib["id"]
        if "clip-path" in element.attrib:
            element.set("clip-path", element.get("clip-path").replace("url(#", f"url(#{name}-"))
        _restyle(element)
        target = element.attrib.pop(f"{{{LINK}}}href", "")
        if target[:1] == "#":
            element.set("href", f"#{name}-{target[1:]}")
        elif target:
            _link(element, target, titles.get(target, ""))


def _link(element: ElementTree.Element, target: str, words: str) -> None:
    """Make a point a link, outside the tab order: thousands of stops are no way to read, and the ledger has all."""
    element.attrib.clear()
    element.set("href", target)
    element.set("tabindex", "-1")
    title = ElementTree.Element(f"{{{SVG}}}title")
    title.text = words
    element.insert(0, title)


def _restyle(element: ElementTree.Element) -> None:
    rules = dict(part.split(":", 1) for part in element.attrib.pop("style", "").split(";") if ":" in part)
    rules = {key.strip(): value.strip() for key, value in rules.items()}
    for key in _CARRIED:
        if key in rules:
            element.set(key, rules[key].removesuffix("px"))
    if element.get("transform", "").startswith("rotate(-0 "):
        del element.attrib["transform"]
    classes = [f"{key[0]}-{named}" for key in ("fill", "stroke") for named in [name_of(element.get(key, ""))] if named]
    if classes:
        element.set("class", " ".join(classes))


def row_labels(axes: Axes, labels: Sequence[str]) -> None:
    """Write one label a row, the first at the top."""
    axes.set_yticks(range(len(labels)), [plain(label) for label in labels])
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0, labelcolor=INK)
    axes.grid(False, axis="y")
    axes.spines["left"].set_visible(False)


def interval(axes: Axes, row: int, cells: tuple[float, float | None, float | None], colour: str, filled: bool) -> None:
    """Draw a value with its interval in a row."""
    value, low, high = cells
    if low is not None:
        axes.plot([low, high], [row, row], color=colour, linewidth=2.4)
    face = colour if filled else PAPER
    axes.plot([value], [row], marker="o", markersize=7, color=colour, markerfacecolor=face, markeredgewidth=1.6)
