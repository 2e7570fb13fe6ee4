"""The directories that a run can write to. Pid 1 owns them, and makes them the same before each run."""

from __future__ import annotations

import fcntl
import os
import struct

from _runfleet.files import SHARED_MEMORY

GET_FLAGS, SET_FLAGS = 0x80086601, 0x40086602  # FS_IOC_GETFLAGS and FS_IOC_SETFLAGS of 64-bit machines.
MAX_ENTRIES = 2_000  # Only hostile code leaves more; then a new sandbox is cheaper than to remove them.


class NotClean(Exception):
    """A run left something that can't be removed."""


class RunDirectories:
    """`own`: True when they belong to this process alone: a run can't change their modes, times or attributes."""

    def __init__(self, own: bool) -> None:
        work = os.getcwd()
        root = os.path.dirname(work)
        self.paths = (root, work, os.path.join(root, "tmp"), SHARED_MEMORY)
        self.own = own
        self.initial = self.snapshot()
        self.descriptors = [os.open(path, os.O_RDONLY | os.O_CLOEXEC) for path in self.paths]
        self.flags = [flags_of(fd) for fd in self.descriptors]

    def snapshot(self) -> list[tuple[int, int, int, int, int]]:
        """Returns inode, mode, owner, links and size of each. On tmpfs a directory's size is 20 times its entries."""
        return [
            (found.st_ino, found.st_mode, found.st_uid, found.st_nlink, found.st_size)
            for found in map(os.lstat, self.paths)
        ]

    def remove_files(self, names: list[str], directories: list[str]) -> bool:
        """Removes the agent's files. Returns whether nothing else is left."""
        try:
            for name in names:
                os.unlink(name)
            for directory in directories:
                os.rmdir(directory)
        except OSError:
            pass  # The run removed it, or put something into it.
        if self.own:
            return self.snapshot() == self.initial
        self.reset_times()
        return (
            self.snapshot() == self.initial
            and not self.extended_attributes()
            and [flags_of(fd) for fd in self.descriptors] == self.flags
        )

    def reset_times(self) -> None:
        """Resets access and modification times: a later run could read what an earlier one set."""
        for fd in self.descriptors:
            os.utime(fd, (0, 0))

    def extended_attributes(self) -> list[tuple[str, str]]:
        return [(path, name) for path in self.paths for name in os.listxattr(path)]

    def empty_all(self) -> None:
        """Removes all that is in the directories. Raises NotClean or OSError when something is left."""
        if not self.own:
            for path, (_, mode, *_) in zip(self.paths, self.initial):
                os.chmod(path, mode & 0o7777)
            for path, name in self.extended_attributes():
                os.removexattr(path, name)
            for fd, flags in zip(self.descriptors, self.flags):
                if flags is not None:
                    fcntl.ioctl(fd, SET_FLAGS, struct.pack("l", flags))
        left = MAX_ENTRIES
        for path in self.paths:
            left = self.empty_directory(path, left)
        if not self.own:
            self.reset_times()
        if self.snapshot() != self.initial:
            raise NotClean("something is left")

    def empty_directory(self, directory: str, left: int) -> int:
        with os.scandir(directory) as found:
            entries = [entry for entry in found if entry.path not in self.paths]
        for entry in entries:
            left -= 1
            if left < 0:
                raise NotClean("too much is left")
            if entry.is_dir(follow_symlinks=False):
                os.chmod(entry.path, 0o700)
                left = self.empty_directory(entry.path, left)
                os.rmdir(entry.path)
            else:
                os.unlink(entry.path)
        return left


def flags_of(fd: int) -> int | None:
    """Returns a directory's inode flags (chattr(1)), or None where the file system has none."""
    try:
        return struct.unpack("l", fcntl.ioctl(fd, GET_FLAGS, bytes(8)))[0]
    except OSError:
        return None
