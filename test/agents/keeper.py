# Writes a mark into its files, environment and memory, says so, and stays.
import os
import time


def main(input):
    for path in ("mark.txt", "/tmp/mark.txt", "/dev/shm/mark.txt"):
        try:
            with open(path, "w") as file:
                file.write(input["mark"])
        except OSError:
            pass
    yield "ready"
    time.sleep(600)
