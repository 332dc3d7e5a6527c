"""The two protocols behind one interface: what the workflow asks of a protocol, whichever the bundle names.

Each module of this package has
    read()                                      the protocol as the project ships it
    override(protocol, changes, file)           the run's protocol, its deviations, and problems
    formula(protocol)                           the scoring formula in one line
    roles(protocol)                             role of the role map -> judge whose packet it is shown ('' = one packet)
    panel_problems(judges, file, protocol)      what is wrong with the panel beyond each judge by itself
    review_problems(reviews, judged, protocol, file)    what is wrong with the reviews of config.yaml
    baselines(judge)                            the embedded models that can stand for a judge
    files(bundle, capture)                      the capture's files by what they are
    card(run, capture, judge)                   what of sheets and protocol is in a packet, as canonical JSON
    packet(run, capture, judge)                 the packet itself, built in memory
    record(bundle, capture)                     what intake.json says of a capture beyond its name and amounts
What it has from elsewhere, it imports under its own name (`import x as x`).
"""

from importlib import import_module
from pathlib import Path
from types import ModuleType

from assay.documents import read_yaml
from assay.problems import FileFault

MODULES = {"performance": "performance", "five-judge": "five_judge"}


def implementation(name: str) -> ModuleType:
    """Return the module of a protocol; an unknown name (a fault of bundle.yaml that is told elsewhere) is taken for the
    performance protocol, so that the rest of the bundle can be checked."""
    return import_module(f"assay.protocols.{MODULES.get(name, 'performance')}")


def named_protocol(folder: Path) -> str:
    """Return the protocol that a bundle's bundle.yaml names, '' where that cannot be read (told elsewhere)."""
    try:
        head = read_yaml(folder / "bundle.yaml")
    except FileFault:
        return ""
    name = head.get("protocol") if isinstance(head, dict) else None
    return name if isinstance(name, str) else ""


def packet_place(configuration: str, family: str, id_: str, judge: str) -> str:
    """Return where a packet is below results/packets: one for each capture, or one for each judge of it."""
    return f"{configuration}/{family}/{id_}{judge and '/'}{judge}.json"
