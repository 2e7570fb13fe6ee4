# Ends its process in the way that its input names.
import os
import signal
import sys


def main(input):
    print("before")
    if input["how"] == "exit":
        sys.exit(input["code"])
    if input["how"] == "os_exit":
        os._exit(3)
    if input["how"] == "close":
        os.close(3)
        return 1
    if input["how"] == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
    if input["how"] == "interrupt":
        raise KeyboardInterrupt
    if input["how"] == "recurse":
        return main_again(0)


def main_again(depth):
    return main_again(depth + 1)
