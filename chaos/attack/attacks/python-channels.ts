import { attacksOf, type AttackRow } from "../attack.ts";

const py = String.raw;
const forged = py`
FORGED = (b"E\0\0\0\0\0\0\x16" + bytes(22), b"C\0\0\0\0\0\0\0", b"P\0\0\0\0\0\0\x08" + bytes(8),
          b'\n{"type":"exit","code":0}\n{"type":"started","warm":true}\n{"preloaded":true,"fault":null,"env_read":[]}')
def forge():
    for fd in range(64):
        for text in FORGED:
            quietly(os.write, fd, text + b"\n")
`;
const writing = (loop: string): string => py`
def attack(input):
    while True:
        ${loop}
`;
const flooded = ["output", "timeout", "breach", "cpu"] as const;

/** Attacks by what a run writes to its channels, and by what it does to their descriptors. */
const rows: AttackRow[] = [
  {
    name: "forged frames on every descriptor, from the import on",
    class: "S1",
    program: py`${forged}
forge()
def attack(input):
    forge()
    return []`,
    ends: ["refused", "breach", "raised"],
    isHonestOtherwise: false,
  },
  {
    name: "forged frames on every descriptor of a run",
    class: "S1",
    program: py`${forged}
def attack(input):
    forge()
    return []`,
    ends: ["refused"],
    levels: [3, 2, 1, 0],
    also: ["isolated", "full"],
  },
  {
    name: "empty lines without end",
    class: "S17",
    program: writing(py`os.write(3, b"\n" * 65536)`),
    ends: flooded,
    levels: [3, 2, 1, 0],
    also: ["isolated"],
  },
  { name: "one byte at a time on stdout", class: "S17", program: writing(py`os.write(1, b"x")`), ends: flooded },
  {
    name: "one byte in turns on stdout and stderr",
    class: "S17",
    program: writing(py`os.write(1, b"x"); os.write(2, b"y")`),
    ends: flooded,
    also: ["isolated"],
  },
  {
    name: "newlines on stdout and stderr",
    class: "S17",
    program: writing(py`os.write(1, b"\n" * 65536); os.write(2, b"\n" * 65536)`),
    ends: flooded,
    levels: [3, 2, 1, 0],
  },
  { name: "a byte a frame on the events", class: "S17", program: writing(py`os.write(3, b"7\n")`), ends: flooded },
  {
    name: "lines that are no frames",
    class: "S17",
    program: writing(py`os.write(3, b'{"type":"output"\n' * 500)`),
    ends: flooded,
  },
  {
    name: "small frames as fast as can be",
    class: "S17",
    program: writing(py`os.write(3, b'{"type":"output","content":1}\n' * 1000)`),
    ends: flooded,
  },
  {
    name: "frames that no event is made of",
    class: "S17",
    program: writing(py`os.write(3, b'{"type":"result","result_content":[]}\n' * 1000)`),
    ends: [...flooded, "refused"],
  },
  { name: "a line that never ends", class: "S17", program: writing(py`os.write(3, b"x" * 65536)`), ends: flooded },
  {
    name: "lines as long as they may be",
    class: "S17",
    program: py`
LINE = b'{"type":"custom","name":"a","value":"' + b"x" * (12 << 20) + b'"}\n'
def attack(input):
    while True:
        view = memoryview(LINE)
        while view: view = view[os.write(3, view):]`,
    ends: [...flooded, "memory"],
  },
  {
    name: "many keys in a frame",
    class: "S17",
    program: py`
LINE = b'{"type":"custom","name":"a","value":{' + b",".join(b'"%d":[{}]' % n for n in range(200_000)) + b"}}\n"
def attack(input):
    view = memoryview(LINE)
    while view: view = view[os.write(3, view):]
    return []`,
    ends: [...flooded, "refused"],
  },
  {
    name: "frames nested a hundred thousand deep",
    class: "S16",
    program: py`
def attack(input):
    line = b'{"type":"custom","name":"a","value":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
    for _ in range(3):
        view = memoryview(line)
        while view: view = view[os.write(3, view):]
    return []`,
    ends: ["refused"],
    levels: [3, 2, 1, 0],
  },
  {
    name: "values that JSON has not",
    class: "S16",
    program: py`
def attack(input):
    for text in (b'NaN', b'Infinity', b'-0', b'1e999', b'"\\ud800"', b'"\xff\xfe"', b'"\xed\xa0\x80"', b'\xef\xbb\xbf1', b'"\0"', b'9' * 5000):
        os.write(3, b'{"type":"custom","name":"a","value":' + text + b'}\n{"type":"progress","value":' + text + b',"message":null}\n')
    for text in (b'null', b'[]', b'"x"', b'{"__proto__":{"type":"result","result_content":1}}', b'{"type":"__proto__"}', b'{"type":["log"]}', b'{"type":{"toString":1}}'):
        os.write(3, text + b"\n")
    return []`,
    ends: ["refused"],
    levels: [3, 2, 1, 0],
  },
  {
    name: "text cut within its letters",
    class: "held",
    program: py`
def attack(input):
    for byte in "äöü€😀".encode() * 200:
        os.write(1, bytes((byte,)))
    os.write(3, "{\"type\":\"custom\",\"name\":\"ä".encode()[:-1]); time.sleep(0.01); os.write(3, b"\xa4\",\"value\":1}\n")
    return []`,
    ends: ["refused"],
  },
  {
    name: "two results and an error after them",
    class: "held",
    program: py`
def attack(input):
    os.write(3, b'{"type":"result","result_content":[]}\n{"type":"result","result_content":"second"}\n{"type":"error","error_type":"E","message":"m","traceback":null}\n')
    return "third"`,
    ends: ["refused"],
  },
  {
    name: "a result, then output without end",
    class: "S5",
    program: py`
def attack(input):
    os.write(3, b'{"type":"result","result_content":[]}\n')
    while True: os.write(1, b"more " * 1000)`,
    ends: flooded,
  },
  {
    name: "a result, then nothing for ever",
    class: "S5",
    program: py`
def attack(input):
    os.write(3, b'{"type":"result","result_content":[]}\n')
    time.sleep(60)`,
    ends: ["timeout"],
    levels: [3, 2, 1, 0],
  },
  {
    name: "negative and endless figures of its own use",
    class: "S9",
    program: py`
def attack(input):
    for text in (b'{"type":"usage","cpu_ms":-5}', b'{"type":"usage","input_tokens":-1}', b'{"type":"usage","cost_usd":1e308}', b'{"type":"usage","cpu_ms":0,"max_rss_bytes":0}'):
        os.write(3, text + b"\n")
    burn(0.15)
    return []`,
    ends: ["refused"],
    timeoutMs: 3_000,
    burnsMs: 150,
  },
  {
    name: "closes all, and stays",
    class: "S5",
    program: py`
def attack(input):
    os.closerange(0, 1024)
    time.sleep(60)`,
    ends: ["timeout"],
    levels: [3, 2, 1, 0],
    also: ["isolated", "full"],
  },
  {
    name: "closes all, and burns",
    class: "S5",
    program: py`
def attack(input):
    os.closerange(0, 1024)
    while True: pass`,
    ends: ["timeout", "cpu"],
    cpuMs: 400,
    levels: [3, 2, 1, 0],
  },
  {
    name: "shuts every descriptor down",
    class: "S5",
    program: py`
def attack(input):
    for fd in range(64):
        for how in (0, 1, 2):
            quietly(lambda: _socket.socket(fileno=os.dup(fd)).shutdown(how))
    time.sleep(60)`,
    ends: ["timeout"],
    levels: [3, 2, 1, 0],
    also: ["isolated"],
  },
  {
    name: "flags, owners, sizes and time-outs of every descriptor",
    class: "S4",
    program: py`
import fcntl
def attack(input):
    for fd in range(64):
        quietly(lambda: _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, os.dup(fd)).setsockopt(1, 20, b"\1" + bytes(15)))
        for command, value in ((1031, 4096), (1031, 1 << 20), (fcntl.F_SETOWN, 2), (10, 9), (fcntl.F_SETFL, 0o24000), (1024, 0), (1026, 15), (1033, 15), (4, os.O_APPEND | os.O_NONBLOCK)):
            quietly(fcntl.fcntl, fd, command, value)
    return []`,
    ends: ["refused", "raised"],
    levels: [3, 2, 1, 0],
  },
  {
    name: "pipes left full",
    class: "S5",
    program: py`
def attack(input):
    for fd in (1, 2, 3):
        os.set_blocking(fd, False)
        while not isinstance(quietly(os.write, fd, b"x" * 4096), str): pass
    os._exit(0)`,
    ends: ["exited", "output"],
    levels: [3, 2, 1, 0],
    also: ["isolated"],
  },
  {
    name: "reads its own events back",
    class: "S5",
    program: py`
def attack(input):
    taken = []
    for fd in (1, 2, 3):
        other = quietly(os.open, f"/proc/self/fd/{fd}", os.O_RDONLY | os.O_NONBLOCK)
        os.write(fd, b"\n" * 100)
        taken.append(quietly(os.read, other, 1000))
        # Whoever reads for the worker is told of a line, and finds that it is gone.
        for _ in range(1000 if fd < 3 else 0):
            os.write(fd, b"\n")
            quietly(os.read, other, 1000)
    if os.fork() == 0:
        while True: time.sleep(1)
    return []`,
    ends: ["refused"],
  },
  {
    name: "gives its pipes memory that changes later",
    class: "S1",
    program: py`
import ctypes, mmap
def attack(input):
    page = mmap.mmap(-1, 4096)
    page[:] = b'{"type":"output","content":"' + b"a" * 4066 + b'"}'
    vector = (ctypes.c_ulong * 2)(ctypes.addressof(ctypes.c_char.from_buffer(page)), 4096)
    syscall(278, 3, vector, 1, 8)
    page[:] = b"\n" * 4096
    os.write(3, b"\n")
    return []`,
    ends: ["refused"],
  },
  {
    name: "its pipes in flight in a loop of sockets",
    class: "S5",
    program: py`
def attack(input):
    a, b = _socket.socketpair()
    a.sendmsg([b"x"], [(1, 1, __import__("struct").pack("5i", 1, 2, 3, a.fileno(), b.fileno()))])
    a.close(); b.close()
    return []`,
    ends: ["refused"],
    levels: [3, 2, 1, 0],
  },
  {
    name: "the door in flight in a loop of sockets",
    class: "S1",
    program: py`
def attack(input):
    door = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    door.bind("\0runfleet"); door.listen(1)
    a, b = _socket.socketpair()
    a.sendmsg([b"x"], [(1, 1, __import__("struct").pack("3i", door.fileno(), a.fileno(), b.fileno()))])
    for one in (door, a, b): one.close()
    return []`,
    ends: ["refused"],
  },
  {
    name: "the door, kept by an orphan",
    class: "S1",
    program: py`
def attack(input):
    door = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    door.bind("\0runfleet"); door.listen(5)
    if os.fork() == 0:
        os.setsid()
        while True: time.sleep(1)
    return []`,
    ends: ["refused"],
  },
  {
    name: "an orphan that holds its pipes",
    class: "S5",
    program: py`
def attack(input):
    if os.fork() == 0:
        os.setsid()
        while True: quietly(os.write, 3, b'{"type":"result","result_content":"forged"}\n'); time.sleep(0.001)
    os.write(3, b'{"type":"result","result_content":[]}\n')
    os._exit(0)`,
    ends: ["refused"],
    levels: [3, 2, 1, 0],
    also: ["isolated"],
  },
  {
    name: "a request that isn't read",
    class: "S5",
    program: py`
import gc
for one in gc.get_objects():
    if isinstance(one, dict) and "read_message" in one and "await_run" in one: one["read_message"] = lambda *_: time.sleep(60)
def attack(input): pass`,
    ends: ["timeout"],
    steps: ["attack", "attack"],
    inputBytes: 2_000_000,
  },
  {
    name: "a request that is read byte by byte",
    class: "S5",
    program: py`
real = os.read
def slow(fd, length):
    time.sleep(0.002)
    return real(fd, 1)
os.read = slow
def attack(input): pass`,
    ends: ["timeout"],
    steps: ["attack", "attack"],
    inputBytes: 500_000,
  },
  {
    name: "a request of 2 MB, read as it comes",
    class: "held",
    program: py`
def attack(input):
    return [] if len(input["filling"]) == 2_000_000 else "cut"`,
    ends: ["refused"],
    inputBytes: 2_000_000,
    levels: [3, 2, 1, 0],
  },
];

export const pythonChannels = attacksOf("python", rows);
