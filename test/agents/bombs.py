# Uses up one resource, named by its input. Takes a name first, if it is given one.
import ctypes
import os
import time

PR_SET_NAME = 15


def memory():
    return len(b"x" * (1 << 30))


def shared_memory():
    import mmap

    area = mmap.mmap(-1, 1 << 30)
    return [area.write(b"x" * (1 << 20)) for _ in range(1 << 10)]


def forks():
    children = 0
    while True:
        if os.fork() == 0:
            time.sleep(600)
        children += 1


def disk():
    with open("big", "wb") as file:
        for _ in range(1 << 10):
            file.write(b"x" * (1 << 20))


def cpu():
    while True:
        pass


def main(input):
    if "mark" in input:
        ctypes.CDLL(None).prctl(PR_SET_NAME, input["mark"].encode())
    return globals()[input["bomb"]]()
