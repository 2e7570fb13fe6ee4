# Takes a name, starts children that leave the session, hold the pipes and ignore SIGTERM, then sleeps for good.
import ctypes
import os
import signal
import sys
import time

PR_SET_NAME = 15


def main(input):
    ctypes.CDLL(None).prctl(PR_SET_NAME, input["mark"].encode())
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for _ in range(input["children"]):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(600)
            os._exit(0)
    yield "ready"
    time.sleep(600)
