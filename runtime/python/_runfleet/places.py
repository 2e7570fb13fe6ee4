"""The places that a run can write to, and that are the same before each run. Pid 1 owns and empties them."""

import os

MOST_ENTRIES = 2_000  # A run leaves more than this only by intent; a new sandbox is cheaper.


class NotClean(Exception):
    """Something of a run is left that can't be removed."""


class Places:
    """`own`: whether they belong to this process alone. Then a run can't change their modes, times or attributes."""

    def __init__(self, own):
        work = os.getcwd()
        root = os.path.dirname(work)
        self.paths = (root, work, os.path.join(root, "tmp"), "/dev/shm")
        self.own = own
        self.untouched = self.look()

    def look(self):
        """Identity, mode and size of each. A directory's size on tmpfs is its number of entries times 20."""
        return [(found.st_ino, found.st_mode, found.st_uid, found.st_nlink, found.st_size) for found in map(os.lstat, self.paths)]

    def tidy(self, names, directories):
        """Removes the agent's files. Returns whether nothing else was left."""
        try:
            for name in names:
                os.unlink(name)
            for directory in directories:
                os.rmdir(directory)
        except OSError:
            pass  # The run moved or removed it, or put something in.
        return self.look() == self.untouched and (self.own or not self.marks())

    def marks(self):
        return [(path, name) for path in self.paths for name in os.listxattr(path)]

    def wipe(self):
        """Removes all that is in them. Raises where that can't be done."""
        if not self.own:
            for path, (_, mode, *_) in zip(self.paths, self.untouched):
                os.chmod(path, mode & 0o7777)
            for path, name in self.marks():
                os.removexattr(path, name)
        left = MOST_ENTRIES
        for path in self.paths:
            left = self.empty(path, left)
        if self.look() != self.untouched:
            raise NotClean("something is left")

    def empty(self, directory, left):
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
