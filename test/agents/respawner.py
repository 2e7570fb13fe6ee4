# Leaves a process that forks a successor and exits, over and over, in a new session each time.
import os
import time


def main(input):
    if os.fork() == 0:
        while True:
            os.setsid() if os.getpid() != os.getsid(0) else None
            if os.fork() != 0:
                os._exit(0)
    yield "ready"
    time.sleep(600)
