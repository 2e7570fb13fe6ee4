# Leaves something behind, or looks for what an earlier run left; its input names which.
import gc
import os
import socket
import subprocess
import sys
import time

state = {"seen": []}


def leave(input):
    secret = input["secret"]
    for path in ("left", "/tmp/left", "/dev/shm/left", "/run/agent/left", "deep/er/left"):
        if os.path.dirname(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
        try:
            with open(path, "w") as file:
                file.write(secret)
        except PermissionError:
            if path != "/run/agent/left":  # It belongs to another user where there are two.
                raise
    os.environ["LEFT"] = secret
    state["seen"].append(secret)
    sys.modules["left"] = secret
    os.umask(0o777)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("\0left")
    listener.listen()
    subprocess.Popen(["sh", "-c", "trap '' TERM HUP INT; setsid sleep 600 & sleep 600"], start_new_session=True)
    return os.environ["API_KEY"]


def look(input):
    """Everything of an earlier run that can be found."""
    secret = [bytes.fromhex(half) for half in input["secret_halves"]]  # Apart, so that this run's own copy isn't found.
    found = [path for path in ("left", "/tmp/left", "/dev/shm/left", "/run/agent/left", "deep") if os.path.exists(path)]
    found += [name for name in ("LEFT", "API_KEY") if name in os.environ] + state["seen"]
    found += ["module"] if "left" in sys.modules else []
    try:
        socket.socket(socket.AF_UNIX).connect("\0left")
        found.append("socket")
    except OSError:
        pass
    found += [f"process {pid}" for pid in os.listdir("/proc") if pid.isdigit() and b"sleep" in open(f"/proc/{pid}/cmdline", "rb").read()]
    return found + ([] if os.umask(0) == 0o022 else ["umask"]) + memory(secret)


def memory(secret):
    """Whether this process's memory, which began as the interpreter's, holds the secret."""
    gc.collect()
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb") as mem:
        for line in maps:
            span, rights = line.split()[:2]
            start, end = (int(part, 16) for part in span.split("-"))
            if "rw" not in rights or end - start > 1 << 28:
                continue
            mem.seek(start)
            try:
                held = mem.read(end - start)
            except OSError:
                continue
            at = held.find(secret[0])
            while at >= 0:
                if held[at + len(secret[0]) :].startswith(secret[1]):
                    return [f"memory of {line.split()[-1]}"]
                at = held.find(secret[0], at + 1)
    return []


def break_out(input):
    for attempt in (
        lambda: os.rename(".", "../moved"),
        lambda: os.chmod("..", 0),
        lambda: os.kill(1, 9),
        lambda: os.kill(1, 19),
    ):
        try:
            attempt()
        except OSError:
            pass
    for fd in (1, 2, 3):
        os.set_blocking(fd, False)
    return "tried"


def hidden_files(input):
    for index in range(3000):
        open(f"f{index}", "w").close()
    return "done"


def main(input):
    return globals()[input["do"]](input)
