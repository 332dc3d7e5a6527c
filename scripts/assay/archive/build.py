"""Building an archive: derive the run again, compare, look for secrets, describe, pack."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.archive.compare import first_difference
from assay.archive.contents import METADATA, README, SUMS, readme, run_files, workflow_files
from assay.archive.crate import crate_text
from assay.archive.derive import RECORDED, Derivation, derive, expected_files
from assay.archive.offline import no_network
from assay.archive.pack import sums_text, write_archive
from assay.archive.secrets import configured_keys, machine_paths, refuse_paths, refuse_secrets
from assay.canonical import loads, sha256
from assay.problems import UserError
from assay.words import counted


@dataclass(frozen=True)
class Built:
    """A written archive: number of files, bytes, hashes, and what the user should know of it."""

    files: int
    size: int
    archive_sha256: str
    sums_sha256: str
    notices: list[str]


def build(folder: Path, config: Mapping, output: Path, environ: Mapping[str, str]) -> Built:
    """Archive the finished run in the work directory `folder` as `output`.

    Raises UserError if the run cannot be derived again as it stands, or if a file holds a key or a machine path.
    """
    folder = folder.resolve()
    with no_network(), tempfile.TemporaryDirectory() as temporary:
        made = derive(folder, config, Path(temporary).resolve())
        _same(made, folder)
    files = _contents(made, folder)
    bundle = f"{made.run.bundle.folder.as_posix()}/"
    keys, unset = configured_keys(config, environ)
    refuse_secrets(files, keys)
    own = {name: data for name, data in files.items() if name.startswith(bundle)}
    refuse_paths({name: data for name, data in files.items() if name not in own}, machine_paths(folder), own)
    files[SUMS] = sums_text(files).encode("utf-8")
    digest = write_archive(output, made.run.id, files)
    notices = [f"{name} is not set here, so that its key could not be searched for in the archive" for name in unset]
    if made.unanswered:
        notices.append(f"a partial run: it lacks {counted(len(made.unanswered), 'verdict')}, as its pages say")
    return Built(len(files), output.stat().st_size, digest, sha256(files[SUMS]), notices)


def _contents(made: Derivation, folder: Path) -> dict[str, bytes]:
    """Return the bytes of every file of the archive but SHA256SUMS, its description included."""
    found = {**run_files(made, folder), **workflow_files(), README: readme(made).encode("utf-8")}
    files = {name: what if isinstance(what, bytes) else what.read_bytes() for name, what in sorted(found.items())}
    sizes = {name: len(data) for name, data in files.items()}
    files[METADATA] = crate_text(made, sizes, loads(files[RECORDED])).encode("utf-8")
    return files


def _same(made: Derivation, folder: Path) -> None:
    """Refuse a run that is not what its bundle and its exchanges give."""
    if made.faults:
        _, name, text = made.faults[0]
        raise UserError(f"not archived, since the run does not hold: {name}: {text}. `snakemake verify` tells all")
    for name in expected_files(made):
        try:
            found = (folder / name).read_bytes()
        except FileNotFoundError:
            raise UserError(f"not archived: {name} is missing. Finish the run first") from None
        difference = first_difference(name, found, (made.fresh / name).read_bytes())
        if difference:
            raise UserError(
                f"not archived, since {name} is not what the bundle and the exchanges give: {difference}. "
                "`snakemake verify` tells all; remove the file and run again to make it anew"
            )
