"""Runs in an install's sandbox: pip into an empty folder, then that folder as a tar archive on stdout.

The request is JSON on stdin: `{"argv": [...]}`, pip's whole command line, which installs into ./packages. What pip
prints goes to stderr. Exits with 1 when pip failed. The worker reads the archive as foreign bytes and trusts nothing
here.
"""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tarfile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

ROOT = "packages"


def make_entry(path: str, status: os.stat_result) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(os.path.relpath(path, ROOT))
    entry.mode = 0o755 if status.st_mode & 0o111 else 0o644
    return entry


def write_archive(output: BinaryIO) -> None:
    """Directories before what is in them. Owners and times are left out."""
    with tarfile.open(fileobj=output, mode="w|", format=tarfile.PAX_FORMAT) as archive:
        for directory, directories, files in os.walk(ROOT):
            directories.sort()
            for name in directories + sorted(files):
                path = os.path.join(directory, name)
                status = os.lstat(path)
                entry = make_entry(path, status)
                if stat.S_ISDIR(status.st_mode):
                    entry.type = tarfile.DIRTYPE
                    archive.addfile(entry)
                elif stat.S_ISREG(status.st_mode):
                    entry.size = status.st_size
                    with open(path, "rb") as file:
                        archive.addfile(entry, file)
                else:
                    sys.exit("The packages hold something that is neither a file nor a directory: " + path)


request = json.load(sys.stdin)
output = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)
os.mkdir(ROOT)
if subprocess.call(request["argv"], stdin=subprocess.DEVNULL) != 0:
    sys.exit(1)
write_archive(output)
output.close()
