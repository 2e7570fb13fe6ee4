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
                try:
                    if os.path.getsize(path) < 65536 and os.path.isfile(path) and input["mark"].encode() in os.read(os.open(path, os.O_RDONLY | os.O_NONBLOCK), 65536):
                        found["marks"].append(path)
                except OSError:
                    pass
    return found
