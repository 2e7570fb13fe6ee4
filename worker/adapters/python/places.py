"""The places that a run can write to, and that are the same before each run. It follows in resident.py's namespace."""

WORK = os.getcwd()
ROOT = os.path.dirname(WORK)
PLACES = (ROOT, WORK, os.path.join(ROOT, "tmp"), "/dev/shm")
MOST_ENTRIES = 2_000  # More than this a run leaves behind only by intent; a new sandbox is cheaper.


class NotClean(Exception):
    """Something of a run is left that can't be removed."""


def wipe():
    """Empties every place that a run can write to. Answers how many entries there were."""
    return sum(empty(place, MOST_ENTRIES) for place in PLACES)


def empty(directory, most):
    os.chmod(directory, 0o755)
    with os.scandir(directory) as found:
        entries = list(found)
    removed = 0
    for entry in entries:
        if entry.path in PLACES:
            continue
        if entry.is_dir(follow_symlinks=False):
            removed += empty(entry.path, most - removed)
            os.rmdir(entry.path)
        else:
            os.unlink(entry.path)
        removed += 1
        if removed > most:
            raise NotClean(directory)
    return removed


def clean_up(files, directories, untouched):
    """After a run. In a process of its own, since names are a run's too, unless there is nothing but the agent's files."""
    try:
        for name in files:
            os.unlink(name)
        for directory in directories:
            os.rmdir(directory)
    except OSError:
        pass  # The run moved or removed it, or put something in.
    if look_around() == untouched:
        return
    child = os.fork()
    if child == 0:
        try:
            wipe()
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    if look_around() != untouched:
        raise NotClean("something is left")


def look_around():
    """
    What is the same before each run: the places themselves and how much is in them, without its names. A directory's size
    on tmpfs is its number of entries times 20.
    """
    seen = []
    for place in PLACES:
        found = os.lstat(place)
        seen.append((found.st_dev, found.st_ino, found.st_mode, found.st_size))
    return seen


def directories_of(files):
    """The directories that files lie in, the deepest first."""
    return sorted({directory for name in files for directory in parents(name)}, key=len, reverse=True)


def parents(name):
    """`a/b/c` lies in `a/b` and `a`."""
    return [name[:end] for end, character in enumerate(name) if character == "/"]
