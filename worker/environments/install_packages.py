"""Runs in an install's sandbox: pip into an empty folder, then that folder as a tar archive on stdout.

The request is JSON on stdin. With a `lock`, the packages are those of the lock, each checked against its hash. Without
one, pip resolves the `requirements`, and the lock of what it found goes to fd 3. What pip prints goes to stderr. Exits
with 1 when pip failed. The worker reads archive and lock as foreign bytes and trusts nothing here.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import stat
import subprocess
import sys
import tarfile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

ROOT = "packages"
WHEELS = "wheels"
LOCK = "lock.txt"

# With `-I` neither the environment nor the working directory changes what is imported.
PIP = [sys.executable, "-I", "-m", "pip"]
ALWAYS = ["--disable-pip-version-check", "--no-input", "--no-cache-dir"]
BINARY = ["--progress-bar", "off", "--only-binary", ":all:"]
INSTALL = [*PIP, "install", *ALWAYS, "--no-compile", *BINARY, "--no-deps", "--target", ROOT]


def call(argv: list[str]) -> None:
    if subprocess.call(argv, stdin=subprocess.DEVNULL) != 0:
        sys.exit(1)


def install_locked(lock: str) -> None:
    if all(line.startswith("#") for line in lock.splitlines()):
        return
    with open(LOCK, "w", encoding="utf-8") as file:
        file.write(lock)
    call([*INSTALL, "--require-hashes", "--requirement", LOCK])


def resolve(requirements: list[str]) -> str:
    """Returns the lock."""
    os.mkdir(WHEELS)
    call([*PIP, "download", *ALWAYS, *BINARY, "--dest", WHEELS, "--", *requirements])
    wheels = sorted(os.listdir(WHEELS))
    if wheels:
        call([*INSTALL, "--no-index", "--", *(os.path.join(WHEELS, name) for name in wheels)])
    about = f"# Python {platform.python_version()}, {sys.platform} {platform.machine()}\n"
    return about + "".join(sorted(lock_line(name) for name in wheels))


def lock_line(wheel: str) -> str:
    """The name of a wheel begins with those of its package and version (PEP 427)."""
    name, version = wheel.split("-")[:2]
    digest = hashlib.sha256()
    with open(os.path.join(WHEELS, wheel), "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return f"{re.sub('[-_.]+', '-', name).lower()}=={version} --hash=sha256:{digest.hexdigest()}\n"


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
if request["lock"] is None:
    lock = resolve(request["requirements"])
    with os.fdopen(3, "w", encoding="utf-8") as channel:
        channel.write(lock)
else:
    install_locked(request["lock"])
write_archive(output)
output.close()
