# Looks for what other runs, the worker and the machine hold.
import os


def main(input):
    found = {"uid": os.getuid(), "fds": [], "marks": [], "cwd": os.listdir(".")}
    for fd in range(256):
        try:
            found["fds"].append([fd, os.fstat(fd).st_rdev])
        except OSError:
            pass
    for base in ("/proc", "/tmp", "/run", "/home", "/root", "/var/tmp", "/dev/shm"):
        for directory, _, files in os.walk(base):
            for path in (os.path.join(directory, name) for name in files if "kcore" not in name):
                fd = -1
                try:
                    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK) if os.path.isfile(path) else -1
                    if fd >= 0 and input["mark"].encode() in os.read(fd, 65536):
                        found["marks"].append(path)
                except OSError:
                    pass
                finally:
                    os.close(fd) if fd >= 0 else None
    return found
