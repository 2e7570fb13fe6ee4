import { attacksOf, type AttackRow } from "../attack.ts";

const py = String.raw;
/** `named` returns all dictionaries with these names: the runtime's modules, however they are hidden. */
const patching = py`
import gc
def named(*names):
    return [one for one in gc.get_objects() if isinstance(one, dict) and all(name in one for name in names)]
`;
const answering = (answer: string): string => py`${patching}
template = named("prepare_agent", "await_run")
def answer(fd, data):
    ${answer}
for one in template: one["write_all"] = answer
def attack(input): return []`;
const nothing = py`
def attack(input): return []`;
/** When code breaks its own template, its runs are executed without one or fail. Nothing else may happen. */
const own = ["refused", "breach", "exited", "killed", "timeout", "raised", "unavailable", "memory", "cpu"] as const;
const only: Partial<AttackRow> = { steps: ["attack", "attack"], isHonestOtherwise: false, timeoutMs: 1_200 };

/** Attacks by a version's code when it is loaded, once for all of its runs, and when its process is forked. */
const rows: AttackRow[] = [
  {
    ...only,
    name: "spins at import",
    class: "S9",
    program: py`while True: pass`,
    ends: ["timeout", "killed", "cpu"],
    levels: [3, 2, 1, 0],
    also: ["isolated"],
  },
  {
    ...only,
    name: "sleeps at import",
    class: "S5",
    program: py`time.sleep(60)`,
    ends: ["timeout", "killed"],
    levels: [3, 2, 1, 0],
  },
  { ...only, name: "exits at import", class: "S5", program: py`os._exit(0)`, ends: ["exited"], levels: [3, 2, 1, 0] },
  { ...only, name: "aborts at import", class: "S5", program: py`os.abort()`, ends: ["killed"] },
  {
    ...only,
    name: "kills itself at import",
    class: "S5",
    program: py`os.kill(os.getpid(), 9)`,
    ends: ["killed"],
    levels: [3, 2, 1, 0],
  },
  {
    ...only,
    name: "stops itself at import",
    class: "S5",
    program: py`os.kill(os.getpid(), signal.SIGSTOP)`,
    ends: ["timeout", "killed"],
    levels: [3, 2, 1, 0],
  },
  {
    ...only,
    name: "becomes another program at import",
    class: "S1",
    program: py`os.execv("/bin/sh", ["sh", "-c", "sleep 60"])`,
    ends: ["timeout", "killed"],
  },
  {
    ...only,
    name: "100 MB to every descriptor at import",
    class: "S1",
    program: py`
for fd in range(128):
    quietly(os.set_blocking, fd, False)
    for _ in range(100): quietly(os.write, fd, b"\n" * (1 << 20))
${nothing}`,
    ends: [...own, "output"],
  },
  {
    name: "burns 300 ms at import",
    class: "S9",
    program: py`burn(0.3)${nothing}`,
    ends: ["refused"],
    burnsMs: 300,
    timeoutMs: 3_000,
    levels: [3, 2, 1, 0],
  },
  {
    name: "burns in the collector's hooks",
    class: "S9",
    program: py`
import gc
left = [3]
def hook(*_):
    if left[0]: left[0] -= 1; burn(0.1)
gc.callbacks.append(hook)
gc.collect()${nothing}`,
    ends: ["refused"],
    burnsMs: 200,
    timeoutMs: 4_000,
  },
  {
    name: "burns in the hooks of a fork",
    class: "S9",
    program: py`
os.register_at_fork(before=lambda: burn(0.05), after_in_parent=lambda: burn(0.05), after_in_child=lambda: burn(0.05))${nothing}`,
    ends: ["refused"],
    burnsMs: 450,
    timeoutMs: 4_000,
  },
  {
    ...only,
    name: "spins in the child of a fork",
    class: "S9",
    program: py`
def spin():
    while True: pass
os.register_at_fork(after_in_child=spin)${nothing}`,
    ends: own,
  },
  {
    ...only,
    name: "spins in the parent of a fork",
    class: "S9",
    program: py`
def spin():
    while True: pass
os.register_at_fork(after_in_parent=spin)${nothing}`,
    ends: own,
  },
  {
    name: "spins beside the process that waits",
    class: "S9",
    program: py`
spun = False
def beside():
    global spun
    if not spun:
        spun = True
        if os.fork() == 0:
            while True: pass
os.register_at_fork(after_in_child=beside)${nothing}`,
    ends: own,
    steps: ["probe", "wait", "attack", "wait", "attack"],
    burnsMs: 500,
    isHonestOtherwise: false,
  },
  {
    ...only,
    name: "a child of the waiting process comes in its stead",
    class: "S1",
    program: py`
swapped = False
def swap():
    global swapped
    if not swapped:
        swapped = True
        if os.fork(): time.sleep(3)
os.register_at_fork(after_in_child=swap)${nothing}`,
    ends: own,
  },
  {
    ...only,
    name: "a sibling of the waiting process comes in its stead",
    class: "S1",
    program: py`
swapped = False
def swap():
    global swapped
    if not swapped:
        swapped = True
        if syscall(56, 0x8000 | 17, 0, 0, 0, 0) != 0: time.sleep(3)
os.register_at_fork(after_in_child=swap)${nothing}`,
    ends: own,
  },
  {
    ...only,
    name: "the template comes to the door itself",
    class: "S1",
    program: py`
knocks = []
def knock():
    for _ in range(50):
        one = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM); one.setblocking(False)
        quietly(one.connect, "\0runfleet"); knocks.append(one)
os.register_at_fork(before=knock)${nothing}`,
    ends: own,
  },
  {
    ...only,
    name: "the waiting process floods the door",
    class: "S1",
    program: py`
def knock():
    global knocks
    knocks = [_socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM) for _ in range(100)]
    for one in knocks: one.setblocking(False); quietly(one.connect, "\0runfleet")
os.register_at_fork(after_in_child=knock)${nothing}`,
    ends: own,
  },
  {
    ...only,
    name: "never comes to the door",
    class: "S5",
    program: py`
os.register_at_fork(after_in_child=lambda: time.sleep(60))${nothing}`,
    ends: own,
  },
  {
    ...only,
    name: "the waiting process ends before it comes",
    class: "S5",
    program: py`
os.register_at_fork(after_in_child=lambda: os._exit(0))${nothing}`,
    ends: own,
  },
  {
    ...only,
    name: "takes the pipes, and ends",
    class: "S5",
    program: py`${patching}
for one in named("await_run", "enter"):
    real = one["enter"]
    one["enter"] = lambda: (real(), os._exit(0))${nothing}`,
    ends: own,
  },
  {
    ...only,
    name: "takes the pipes, closes them, and waits",
    class: "S5",
    program: py`${patching}
for one in named("await_run", "enter"):
    real = one["enter"]
    one["enter"] = lambda: (real(), os.closerange(0, 1024), time.sleep(60))${nothing}`,
    ends: own,
    inputBytes: 500_000,
  },
  {
    name: "hides a thread",
    class: "S1",
    program: py`
import threading
real = os.listdir
os.listdir = lambda path=".": ["1"] if str(path).endswith("task") else real(path)
threading.Thread(target=lambda: [time.sleep(0.01) for _ in range(10**6)], daemon=True).start()
def attack(input): return []`,
    ends: own,
    isHonestOtherwise: false,
  },
  {
    name: "hides a child",
    class: "S1",
    program: py`
if os.fork() == 0:
    while True: time.sleep(1)
os.waitid = None${nothing}`,
    ends: own,
    isHonestOtherwise: false,
  },
  {
    name: "hides an orphan",
    class: "S1",
    program: py`
pid = os.fork()
if pid == 0:
    if os.fork() == 0:
        os.setsid()
        while True: time.sleep(1)
    os._exit(0)
os.waitpid(pid, 0)${nothing}`,
    ends: own,
    isHonestOtherwise: false,
  },
  {
    name: "hides shared memory",
    class: "S1",
    program: py`${patching}
import mmap
shared = mmap.mmap(-1, 4096)
for one in named("count_shared"): one["count_shared"] = lambda: 0
def attack(input):
    shared[0] += 1
    return []
def look(): return shared[0]`,
    ends: ["refused"],
    isHonestOtherwise: false,
  },
  {
    name: "makes shared memory when it is forked",
    class: "S4",
    program: py`
import mmap
shared = []
os.register_at_fork(before=lambda: shared or shared.append(mmap.mmap(-1, 4096)))
def attack(input):
    if shared: shared[0][0] += 1
    return []
def look(): return [one[0] for one in shared] if any(one[0] for one in shared) else None`,
    ends: own,
    isHonestOtherwise: false,
  },
  {
    name: "puts shared memory where private was",
    class: "S4",
    program: py`
import mmap, ctypes
ctypes.CDLL(None).mmap.restype = ctypes.c_void_p
area = ctypes.CDLL(None).mmap
area.restype = ctypes.c_void_p; area.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)
place = area(None, 4096, 3, 0x22, -1, 0)
done = []
os.register_at_fork(before=lambda: done or done.append(area(place, 4096, 3, 0x31, -1, 0)))
cell = ctypes.c_ubyte.from_address(place)
def attack(input):
    cell.value += 1
    return []
def look(): return cell.value or None`,
    ends: own,
    isHonestOtherwise: false,
  },
  {
    name: "can be looked into after all",
    class: "S4",
    program: py`${patching}
for one in named("set_dumpable", "SiblingFork"): one["set_dumpable"] = lambda value: one["prctl"](4, 1, 0, 0, 0)
def attack(input):
    return worked({"memory": lambda: os.open("/proc/2/mem", os.O_RDWR), "slack": lambda: os.write(os.open("/proc/2/timerslack_ns", os.O_WRONLY), b"5000")})`,
    ends: own,
    isHonestOtherwise: false,
  },
  {
    name: "becomes open when it is forked",
    class: "S4",
    program: py`
import ctypes
libc = ctypes.CDLL(None)
os.register_at_fork(after_in_parent=lambda: libc.prctl(4, 1, 0, 0, 0))
def attack(input):
    return worked({"memory": lambda: os.open("/proc/2/mem", os.O_RDWR), "slack": lambda: os.write(os.open("/proc/2/timerslack_ns", os.O_WRONLY), b"5000")})`,
    ends: own,
    isHonestOtherwise: false,
  },
  {
    ...only,
    name: "an answer that never comes to its end",
    class: "S1",
    program: answering("time.sleep(60)"),
    ends: own,
  },
  {
    ...only,
    name: "an answer without an end",
    class: "S1",
    program: answering(py`
    while True: os.write(fd, b"x" * 65536)`),
    ends: own,
  },
  {
    ...only,
    name: "an answer of 65,536 bytes",
    class: "S1",
    program: answering(py`os.write(fd, data[:-1] + b" " * (65536 - len(data)) + data[-1:])`),
    ends: own,
  },
  {
    ...only,
    name: "an answer of 65,537 bytes",
    class: "S1",
    program: answering(py`os.write(fd, data[:-1] + b" " * (65537 - len(data)) + data[-1:])`),
    ends: own,
  },
  {
    ...only,
    name: "an answer byte by byte",
    class: "S1",
    program: answering(py`
    for byte in data: os.write(fd, bytes((byte,))); time.sleep(0.001)`),
    ends: own,
  },
  {
    ...only,
    name: "an answer nested thirty thousand deep",
    class: "S16",
    program: answering(py`os.write(fd, b"[" * 30000 + b"]" * 30000)`),
    ends: own,
  },
  {
    ...only,
    name: "an answer with thousands of variables' names",
    class: "S1",
    program: answering(py`os.write(fd, b'{"preloaded":true,"fault":null,"env_read":["A' + b'","A' * 12000 + b'"]}')`),
    ends: own,
  },
  {
    ...only,
    name: "an answer that is a prototype",
    class: "S1",
    program: answering(
      py`os.write(fd, b'{"__proto__":{"preloaded":true},"constructor":1,"preloaded":1,"fault":{},"env_read":"*"}')`,
    ),
    ends: own,
  },
  {
    ...only,
    name: "no answer, and the descriptor closed",
    class: "S1",
    program: answering(py`os.close(fd); time.sleep(0.2)`),
    ends: own,
  },
  {
    ...only,
    name: "the answer's descriptor in flight in a loop of sockets",
    class: "S5",
    program: answering(py`
    os.write(fd, data)
    a, b = _socket.socketpair()
    a.sendmsg([b"x"], [(1, 1, __import__("struct").pack("3i", fd, a.fileno(), b.fileno()))])`),
    ends: own,
  },
  {
    ...only,
    name: "keeps a descriptor of its own",
    class: "S1",
    program: py`${patching}
os.closerange = lambda *_: None
kept = os.open("/", os.O_RDONLY)
real = os.listdir
os.listdir = lambda path=".": [] if str(path).endswith("fd") else real(path)${nothing}`,
    ends: own,
  },
  {
    name: "keeps a descriptor above those that are closed",
    class: "S1",
    program: py`
import fcntl
def attack(input):
    return worked({"more": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (2048, 2048)), "above": lambda: fcntl.fcntl(0, fcntl.F_DUPFD, 1024), "dup2": lambda: os.dup2(0, 5000)})`,
    ends: ["refused"],
  },
  {
    ...only,
    name: "no process ends",
    class: "S5",
    program: py`
os._exit = lambda *_: None
def attack(input): return []`,
    ends: own,
  },
  {
    ...only,
    name: "forks without being asked to",
    class: "S1",
    program: py`
import _signal
real, count = _signal.sigwait, 0
def impatient(signals):
    global count
    count += 1
    return real(signals) if count % 3 else 10
_signal.sigwait = impatient${nothing}`,
    ends: own,
  },
  {
    ...only,
    name: "waits for other signals",
    class: "S5",
    program: py`
import _signal
_signal.sigwait = lambda *_: time.sleep(60)${nothing}`,
    ends: own,
  },
  {
    ...only,
    name: "a timer that asks for forks",
    class: "S1",
    program: py`
import ctypes, struct
timer = ctypes.c_int()
event = ctypes.create_string_buffer(struct.pack("QiiI", 0, 10, 0, 0) + bytes(48))
syscall(222, 1, event, ctypes.byref(timer))
syscall(223, timer.value, 0, ctypes.create_string_buffer(struct.pack("4q", 0, 20_000_000, 0, 20_000_000)), 0)
signal.signal(10, lambda *_: None)${nothing}`,
    ends: own,
  },
  {
    name: "timers that ring later",
    class: "S9",
    program: py`
def ring(*_):
    burn(10)
for number in (signal.SIGALRM, signal.SIGVTALRM, signal.SIGPROF, signal.SIGIO, signal.SIGURG): signal.signal(number, ring)
signal.setitimer(signal.ITIMER_REAL, 0.3, 0.3); signal.setitimer(signal.ITIMER_VIRTUAL, 0.5); signal.setitimer(signal.ITIMER_PROF, 0.5)
signal.pthread_sigmask = lambda *_: set()${nothing}`,
    ends: own,
    steps: ["probe", "wait", "attack", "probe"],
    isHonestOtherwise: false,
  },
  {
    name: "an alarm that nobody hears",
    class: "S9",
    program: py`
signal.signal(signal.SIGALRM, lambda *_: burn(10))
signal.setitimer(signal.ITIMER_REAL, 0.2, 0.2)${nothing}`,
    ends: ["refused"],
    steps: ["probe", "wait", "attack", "probe", "probe"],
  },
  {
    name: "a name that looks like a state",
    class: "S4",
    program: py`prctl(15, b") R 1 1 (x\n) S")${nothing}`,
    ends: ["refused"],
  },
  {
    name: "a subreaper, and a signal at its parent's death",
    class: "S4",
    program: py`
prctl(36, 1); prctl(1, 9)
def attack(input):
    if os.fork() == 0:
        if os.fork() == 0: time.sleep(60)
        os._exit(0)
    return []`,
    ends: own,
  },
  {
    ...only,
    name: "a filter that refuses what a run needs",
    class: "S5",
    program: py`
import ctypes, struct
def refuse(*numbers):
    lines = [(0x20, 0, 0, 0)] + [(0x15, len(numbers) - at, 0, number) for at, number in enumerate(numbers)] + [(6, 0, 0, 0x7FFF0000), (6, 0, 0, 0x00050001)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in lines))
    prctl(22, 2, ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(lines), ctypes.addressof(code))))
refuse(42, 47, 45)${nothing}`,
    ends: own,
  },
  {
    ...only,
    name: "a filter that refuses forks",
    class: "S5",
    program: py`
import ctypes, struct
lines = [(0x20, 0, 0, 0), (0x15, 0, 1, 56), (6, 0, 0, 0x0005000B), (6, 0, 0, 0x7FFF0000)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in lines))
prctl(22, 2, ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(lines), ctypes.addressof(code))))${nothing}`,
    ends: own,
  },
  {
    name: "limits of its own, lowered at import",
    class: "S4",
    program: py`
for what, value in ((resource.RLIMIT_NOFILE, 64), (resource.RLIMIT_STACK, 1 << 20), (resource.RLIMIT_FSIZE, 1 << 20), (resource.RLIMIT_SIGPENDING, 0), (resource.RLIMIT_MSGQUEUE, 0)):
    resource.setrlimit(what, (value, value))
os.nice(5)${nothing}`,
    ends: ["refused"],
  },
  {
    ...only,
    name: "no processor time at import",
    class: "S4",
    program: py`resource.setrlimit(resource.RLIMIT_CPU, (1, 1)); burn(3)${nothing}`,
    ends: own,
    timeoutMs: 3_000,
  },
  {
    name: "leaves the session of its runs to the template",
    class: "S4",
    program: py`
import ctypes
os.setsid = lambda: None
def attack(input):
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    for number in (34, 41, 15, 12): os.kill(0, number)
    return []
def look():
    return quietly(lambda: [line for line in read("/proc/2/status").splitlines() if line.startswith(("SigPnd", "ShdPnd"))])`,
    ends: own,
    isHonestOtherwise: false,
  },
  {
    name: "a helper left in the template's group",
    class: "S4",
    program: py`
helper = None
def help():
    global helper
    if helper: return
    helper = 51
    for fd, place in zip(os.pipe(), (50, 51)): os.dup2(fd, place); os.close(fd)
    r, helper = 50, 51
    if os.fork() == 0:
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        os.close(helper)
        if os.read(r, 1): [os.kill(0, number) for number in (35, 42, 12)]
        os._exit(0)
    os.close(r)
os.register_at_fork(after_in_child=help)
def attack(input):
    os.write(helper, b"x"); time.sleep(0.1)
    return []
def look():
    return quietly(lambda: [line for line in read("/proc/2/status").splitlines() if line.startswith(("SigPnd", "ShdPnd"))])`,
    ends: own,
    isHonestOtherwise: false,
  },
  {
    name: "200 MB in the idle template",
    class: "S15",
    program: py`
kept = bytearray(150 << 20)
for at in range(0, len(kept), 4096): kept[at] = 1${nothing}`,
    ends: ["refused", "memory", "killed", "raised"],
    steps: ["probe", "wait", "attack"],
    timeoutMs: 4_000,
  },
  {
    name: "more memory at each fork",
    class: "S15",
    program: py`
kept = []
def more():
    kept.append(bytearray(30 << 20))
    for at in range(0, 30 << 20, 4096): kept[-1][at] = 1
os.register_at_fork(before=more)${nothing}`,
    ends: own,
    steps: ["probe", "attack", "attack", "attack", "attack", "attack", "attack", "attack"],
    isHonestOtherwise: false,
    timeoutMs: 2_000,
  },
  {
    name: "importers left in the run's way",
    class: "S4",
    program: py`
class Poison:
    def find_spec(self, name, *_): sys.modules.setdefault("mark", os); return None
sys.path_hooks.insert(0, lambda path: (_ for _ in ()).throw(ImportError()))
def attack(input):
    sys.meta_path.insert(0, Poison()); sys.modules["marked"] = os; STATE.append(1)
    import builtins; builtins.mark = 1; builtins.print = None; os.environ["MARK"] = "1"; os.umask(0o777)
    for name in [name for name in sys.modules if name.startswith("_runfleet")]: sys.modules[name].__dict__.clear()
    return []`,
    ends: own,
  },
  {
    name: "our modules emptied at import",
    class: "S1",
    program: py`
for name in [name for name in sys.modules if name.startswith("_runfleet")]:
    for one in list(sys.modules[name].__dict__): sys.modules[name].__dict__[one] = None${nothing}`,
    ends: own,
    isHonestOtherwise: false,
  },
];

export const pythonImport = attacksOf("python", rows);
