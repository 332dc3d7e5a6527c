"""Reads the configuration files before Snakemake does, which neither says in which row one is broken nor sees doubles."""

import sys
from pathlib import Path

SCRIPTS = Path(workflow.basedir) / "scripts"
sys.path.insert(0, str(SCRIPTS))

from assay.documents import read_yaml
from assay.problems import UserError, log

try:
    for file in map(Path, ["config/config.yaml", *workflow.configfiles]):
        if file.exists():
            read_yaml(file)
except UserError as error:
    log(f"error: {error}")
    sys.exit(1)
