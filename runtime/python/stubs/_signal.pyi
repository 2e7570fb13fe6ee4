from typing import Any

"""What `signal` is made of. typeshed has no file for it."""

from signal import pthread_sigmask as pthread_sigmask
from signal import sigwait as sigwait
SIG_DFL: int

def signal(signalnum: int, handler: Any) -> Any: ...
