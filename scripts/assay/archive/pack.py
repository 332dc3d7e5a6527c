"""One file out of many, the same bytes for the same files: nothing of it depends on time, user, umask or order."""

import hashlib
import io
import lzma
import os
import tarfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from assay.problems import UserError

_TIME = 315532800  # 1 January 1980: earlier dates trouble some tools
_PROGRAMS = frozenset({"workflow/assay", "workflow/envs/setup.sh"})
# Requests and packets repeat each other within a few megabytes: the large window matters, effort hardly.
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 2, "dict_size": 1 << 24}]


def sums_text(files: Mapping[str, bytes]) -> str:
    """Return the lines of SHA256SUMS, as `sha256sum --check` reads them, in the order of the names."""
    return "".join(f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))


def parse_sums(text: str) -> dict[str, str]:
    """Return name -> SHA-256. Raises ValueError with the line that is not of the form, out of order or there twice."""
    found: dict[str, str] = {}
    for number, line in enumerate(text.removesuffix("\n").split("\n"), start=1):
        digest, gap, name = line[:64], line[64:66], line[66:]
        if gap != "  " or not name or set(digest) - set("0123456789abcdef"):
            raise ValueError(f"line {number} is not a SHA-256, two spaces and a name")
        if found and name <= next(reversed(found)):
            raise ValueError(f"line {number}: {name} is out of order, or there twice")
        found[name] = digest
    return found


def write_archive(path: Path, root: str, files: Mapping[str, bytes]) -> str:
    """Write the files under the folder `root` into `path` (.tar.xz), whole or not at all; return its SHA-256."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    with (
        lzma.open(part, "wb", filters=_FILTERS) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for name in sorted(files):
            member = tarfile.TarInfo(f"{root}/{name}")
            member.size, member.mtime = len(files[name]), _TIME
            member.mode = 0o755 if name in _PROGRAMS else 0o644
            tar.addfile(member, io.BytesIO(files[name]))
    os.replace(part, path)
    with open(path, "rb") as written:
        return hashlib.file_digest(written, "sha256").hexdigest()


def unpack(path: Path, target: Path) -> Path:
    """Unpack an archive into the folder `target`; return the one folder that it holds.

    Raises UserError if it is no archive of this kind: links, devices and names that leave the folder are refused.
    """
    try:
        with tarfile.open(path, "r:*") as tar:
            for member in tar:
                name = PurePosixPath(member.name)
                if not member.isfile() or name.is_absolute() or ".." in name.parts or (target / name).exists():
                    raise UserError(
                        f"{path}: {member.name!r} is not a plain file inside the archive, or is there twice"
                    )
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                (target / name).write_bytes(tar.extractfile(member).read())
    except (tarfile.TarError, lzma.LZMAError, EOFError) as error:
        raise UserError(f"{path}: not an archive that can be read: {error}") from None
    folders = list(target.iterdir())
    if len(folders) != 1:
        raise UserError(f"{path}: an archive holds one folder, this one {len(folders)}")
    return folders[0]
