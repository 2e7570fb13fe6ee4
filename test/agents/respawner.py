# Takes a name, and leaves a process that forks a successor and exits, over and over, in a new session each time.
import ctypes
import os
import time

PR_SET_NAME = 15


def main(input):
    ctypes.CDLL(None).prctl(PR_SET_NAME, input["mark"].encode())
    if os.fork() == 0:
        while True:
            os.setsid() if os.getpid() != os.getsid(0) else None
            if os.fork() != 0:
                os._exit(0)
    yield "ready"
    time.sleep(600)
