/** A hostile agent of a class of findings (docs/security.md). */
export type HostileAgent = {
  name: string;
  class: string;
  source: string;
  config: Record<string, unknown>;
  /** True when the module attacks as it is imported or forked: then the agent's own runs suffer, too. */
  harmsItself: boolean;
};

const everyDescriptor = "[int(name) for name in os.listdir('/proc/self/fd')]";

/** A run with the input `probe` returns the state of its sandbox, so that runs before and after an attack can be compared. */
const head = `import os, sys, time, resource, signal, socket

def quietly(function, *args):
    try:
        return function(*args)
    except BaseException as error:
        return type(error).__name__

def probe():
    places = ("/run/agent/work", "/run/agent/tmp", "/dev/shm")
    return {
        "nice": os.getpriority(0, 0),
        "cpus": sorted(os.sched_getaffinity(0)),
        "policy": os.sched_getscheduler(0),
        "limits": [resource.getrlimit(which) for which in range(16)],
        "files": [quietly(lambda: sorted(os.listdir(place))) for place in places],
        "modes": [quietly(lambda: oct(os.stat(place).st_mode)) for place in places],
        "processes": len([name for name in os.listdir("/proc") if name.isdigit()]),
        "descriptors": sorted(os.listdir("/proc/self/fd"))[:-1],
        "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
    }

def attack():
    pass
`;
const tail = `
def main(input):
    if input.get("do") == "probe":
        return probe()
    attack()
`;
const agent = (name: string, kind: string, body: string, config: HostileAgent["config"] = {}): HostileAgent => ({
  name,
  class: kind,
  source: `${head}\n${body}\n${tail}`,
  config,
  harmsItself: !body.includes("def attack()"),
});

export const hostileAgents: readonly HostileAgent[] = [
  agent(
    "speaks-for-pid-1-when-imported",
    "S1",
    `for fd in ${everyDescriptor}:
    quietly(os.set_blocking, fd, False)
    for text in (b"E" + bytes(29), b"P" + bytes(15), b'{"type":"ended","exit_code":0}\\n', b"\\n" * (1 << 20)):
        for _ in range(20):
            quietly(os.write, fd, text)`,
  ),
  agent(
    "speaks-for-pid-1-in-a-run",
    "S1",
    `def attack():
    for fd in range(64):
        for text in (b"E" + bytes(29), b"P" + bytes(15), b'\\n{"type":"ended"}\\n{"type":"result","result_content":1}\\n'):
            quietly(os.write, fd, text)
    time.sleep(60)`,
  ),
  agent(
    "shuts-every-descriptor-down",
    "S5",
    `def attack():
    for fd in ${everyDescriptor}:
        for how in (0, 1, 2):
            quietly(lambda: socket.socket(fileno=os.dup(fd)).shutdown(how))
    time.sleep(60)`,
  ),
  agent(
    "closes-all-and-works",
    "S5",
    `def attack():
    os.closerange(0, 1024)
    while True:
        pass`,
  ),
  agent(
    "stops-itself",
    "S5",
    `def attack():
    os.kill(os.getpid(), signal.SIGSTOP)`,
  ),
  agent(
    "leaves-orphans-at-work",
    "S5",
    `def attack():
    for _ in range(16):
        if os.fork() == 0:
            os.setsid()
            if os.fork():
                os._exit(0)
            while True:
                pass
    time.sleep(60)`,
  ),
  agent("works-when-imported", "S9", "while True:\n    pass"),
  agent(
    "works-at-each-fork",
    "S9",
    `def spin():
    while True:
        pass
os.register_at_fork(after_in_child=spin)`,
  ),
  agent(
    "forks-without-end",
    "S18",
    `def attack():
    while True:
        quietly(os.fork)`,
  ),
  agent(
    "works-in-sixty-processes",
    "S18",
    `def attack():
    for _ in range(60):
        if os.fork() == 0:
            while True:
                pass
    time.sleep(60)`,
  ),
  agent(
    "holds-memory-while-idle",
    "S15",
    "kept = bytearray(200 << 20)\nfor at in range(0, len(kept), 4096):\n    kept[at] = 1",
  ),
  agent(
    "grows-at-each-fork",
    "S15",
    `kept = []
def more():
    kept.append(bytearray(30 << 20))
    for at in range(0, 30 << 20, 4096):
        kept[-1][at] = 1
os.register_at_fork(before=more)`,
  ),
  agent(
    "writes-newlines-as-events",
    "S17",
    `def attack():
    while True:
        os.write(3, b"\\n" * 65536)`,
  ),
  agent(
    "writes-short-lines-as-events",
    "S17",
    `def attack():
    while True:
        os.write(3, b"{}\\n" * 20000)`,
  ),
  agent(
    "writes-deep-frames",
    "S17",
    `def attack():
    line = b'{"type":"output","content":' + b"[" * 200000 + b"]" * 200000 + b"}\\n"
    while True:
        os.write(3, line)`,
  ),
  agent(
    "prints-without-end",
    "S17",
    `def attack():
    while True:
        os.write(1, b"\\n" * 65536)
        os.write(2, b"\\n" * 65536)`,
  ),
  agent(
    "prints-single-bytes",
    "S17",
    `def attack():
    while True:
        os.write(1, b"x")
        os.write(2, b"y")`,
  ),
  agent(
    "sends-odd-requests",
    "S2",
    `REQUESTS = [
    b"GET http://127.0.0.1:9/ HTTP/1.1\\r\\nHost: x\\r\\nTrailer: X\\r\\n\\r\\n",
    b"GET http://127.0.0.1:9/ HTTP/1.1\\r\\nHost: x\\r\\nTransfer-Encoding: chunked\\r\\nTrailer: X\\r\\n\\r\\n0\\r\\nX: y\\r\\n\\r\\n",
    b"GET http://127.0.0.1:9/ HTTP/1.1\\r\\nHost: x\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n\\r\\n",
    b"CONNECT 127.0.0.1:9 HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 10\\r\\n\\r\\n",
    b"CONNECT [::1 HTTP/1.1\\r\\n\\r\\n",
    b"GET http://[::1 HTTP/1.1\\r\\n\\r\\n",
    b"GET http://127.0.0.1:9/ HTTP/1.1\\r\\nHost: x\\r\\nExpect: 200-ok\\r\\n\\r\\n",
    b"\\x16\\x03\\x01" + bytes(500),
    b"GET / HTTP/9.9\\r\\n\\r\\n",
    b"A" * 100000,
]
def attack():
    until = time.monotonic() + 2
    while time.monotonic() < until:
        for request in REQUESTS:
            try:
                with socket.create_connection(("127.0.0.1", 3128), 1) as client:
                    client.settimeout(0.2)
                    client.sendall(request)
                    client.recv(65536)
            except OSError:
                pass`,
    { network: { allow: ["*:9", "127.0.0.1:9"] } },
  ),
];
