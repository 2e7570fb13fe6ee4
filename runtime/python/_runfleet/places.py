"""The places that a run can write to, and that are the same before each run. Pid 1 owns and empties them."""

from __future__ import annotations

import fcntl
import os
import struct


GET_FLAGS, SET_FLAGS = 0x80086601, 0x40086602  # FS_IOC_GETFLAGS and FS_IOC_SETFLAGS of 64-bit machines.
MOST_ENTRIES = 2_000  # A run leaves more than this only by intent; a new sandbox is cheaper.


class NotClean(Exception):
    """Something of a run is left that can't be removed."""


class Places:
    """`own`: whether they belong to this process alone. Then a run can't change their modes, times or attributes."""

    def __init__(self, own: bool) -> None:
        work = os.getcwd()
        root = os.path.dirname(work)
        self.paths = (root, work, os.path.join(root, "tmp"), "/dev/shm")
        self.own = own
        self.untouched = self.look()
        self.descriptors = [os.open(path, os.O_RDONLY | os.O_CLOEXEC) for path in self.paths]
        self.flags = [flags_of(fd) for fd in self.descriptors]

    def look(self) -> list[tuple[int, int, int, int, int]]:
        """Identity, mode and size of each. A directory's size on tmpfs is its number of entries times 20."""
        return [
            (found.st_ino, found.st_mode, found.st_uid, found.st_nlink, found.st_size)
            for found in map(os.lstat, self.paths)
        ]

    def tidy(self, names: list[str], directories: list[str]) -> bool:
        """Removes the agent's files. Returns whether nothing else was left."""
        try:
            for name in names:
                os.unlink(name)
            for directory in directories:
                os.rmdir(directory)
        except OSError:
            pass  # The run moved or removed it, or put something in.
        if self.own:
            return self.look() == self.untouched
        self.reset_times()
        return (
            self.look() == self.untouched
            and not self.marks()
            and [flags_of(fd) for fd in self.descriptors] == self.flags
        )

    def reset_times(self) -> None:
        """What a run sets them to, a later one could read."""
        for fd in self.descriptors:
            os.utime(fd, (0, 0))

    def marks(self) -> list[tuple[str, str]]:
        return [(path, name) for path in self.paths for name in os.listxattr(path)]

    def wipe(self) -> None:
        """Removes all that is in them. Raises where that can't be done."""
        if not self.own:
            for path, (_, mode, *_) in zip(self.paths, self.untouched):
                os.chmod(path, mode & 0o7777)
            for path, name in self.marks():
                os.removexattr(path, name)
            for fd, flags in zip(self.descriptors, self.flags):
                if flags is not None:
                    fcntl.ioctl(fd, SET_FLAGS, struct.pack("l", flags))
        left = MOST_ENTRIES
        for path in self.paths:
            left = self.empty(path, left)
        if not self.own:
            self.reset_times()
        if self.look() != self.untouched:
            raise NotClean("something is left")

    def empty(self, directory: str, left: int) -> int:
        with os.scandir(directory) as found:
            entries = [entry for entry in found if entry.path not in self.paths]
        for entry in entries:
            left -= 1
            if left < 0:
                raise NotClean("too much is left")
            if entry.is_dir(follow_symlinks=False):
                os.chmod(entry.path, 0o700)
                left = self.empty(entry.path, left)
                os.rmdir(entry.path)
            else:
                os.unlink(entry.path)
        return left


def flags_of(fd: int) -> int | None:
    """A directory's inode flags (chattr(1)), of which a file system may keep some; None where it has none."""
    try:
        return struct.unpack("l", fcntl.ioctl(fd, GET_FLAGS, bytes(8)))[0]
    except OSError:
        return None
