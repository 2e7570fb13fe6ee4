import { attacksOf, type AttackRow } from "../attack.ts";

const py = String.raw;
const everyLevel = [3, 2, 1, 0] as const;

/** Attacks by what a run leaves behind: files, processes, sockets, memory. */
const rows: AttackRow[] = [
  // ── processes ──
  {
    name: "orphans with sessions of their own",
    class: "held",
    program: py`
def attack(input):
    for _ in range(8):
        if os.fork() == 0:
            os.setsid()
            if os.fork(): os._exit(0)
            while True: time.sleep(0.01)
    return []`,
    ends: ["refused"],
    levels: everyLevel,
    also: ["isolated"],
  },
  {
    name: "a chain of double forks",
    class: "held",
    program: py`
def attack(input):
    if os.fork() == 0:
        while True:
            if os.fork(): os._exit(0)
    return []`,
    ends: ["refused", "timeout"],
    levels: everyLevel,
  },
  {
    name: "eight chains of double forks",
    class: "held",
    program: py`
def attack(input):
    for _ in range(8):
        if os.fork() == 0:
            while True:
                if quietly(os.fork) != 0: os._exit(0)
    os._exit(0)`,
    ends: ["exited", "timeout", "breach", "killed", "cpu", "raised", "processes"],
  },
  {
    name: "a fork bomb",
    class: "held",
    program: py`
def attack(input):
    while True: quietly(os.fork)`,
    ends: ["cpu", "timeout", "processes"],
    cpuMs: 600,
    levels: everyLevel,
    also: ["isolated"],
  },
  {
    name: "a fork bomb whose parent ends",
    class: "held",
    program: py`
def attack(input):
    if os.fork() == 0:
        while True: quietly(os.fork)
    time.sleep(0.1)
    os._exit(0)`,
    ends: ["exited", "timeout", "breach", "killed", "cpu"],
  },
  {
    name: "threads by the thousand",
    class: "held",
    program: py`
import threading
def attack(input):
    for _ in range(2_000): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()`,
    ends: ["raised", "timeout", "processes", "memory"],
    levels: everyLevel,
  },
  {
    name: "zombies by the thousand",
    class: "held",
    program: py`
def attack(input):
    for _ in range(2_000):
        if os.fork() == 0: os._exit(0)`,
    ends: ["raised", "timeout", "processes"],
    levels: everyLevel,
  },
  {
    name: "a vfork that never becomes a program",
    class: "held",
    program: py`
def attack(input):
    import ctypes
    ctypes.CDLL(None).syscall(56, 0x4111, 0, 0, 0, 0)
    time.sleep(60)`,
    ends: ["timeout", "killed"],
  },
  {
    name: "children of pid 1, made by the run",
    class: "S1",
    program: py`
def attack(input):
    for signal_ in (0, 9, 10, 17):
        if syscall(56, 0x8000 | signal_, 0, 0, 0, 0) == 0:
            while True: time.sleep(0.01)
    return []`,
    ends: ["refused"],
  },
  {
    name: "a thread that outlives its main thread",
    class: "held",
    program: py`
import threading
def attack(input):
    threading.Thread(target=lambda: time.sleep(60)).start()
    syscall(60, 0)`,
    ends: ["timeout", "exited"],
  },
  {
    name: "a process group of its own each 50 ms",
    class: "held",
    program: py`
def attack(input):
    for _ in range(6):
        if os.fork() == 0:
            for _ in range(40): quietly(os.setpgid, 0, 0); quietly(os.setsid); quietly(os.setpgid, 0, 2); time.sleep(0.05)
            os._exit(0)
    return worked({"group 2": lambda: os.setpgid(0, 2), "of 1": lambda: os.setpgid(1, 0), "of 2": lambda: os.setpgid(2, os.getpid()), "session": lambda: os.getsid(0) != os.getpid()})`,
    ends: ["refused"],
  },
  // ── files ──
  {
    name: "attributes, times, modes and owners of places",
    class: "S4",
    program: py`
def attack(input):
    for place in PLACES:
        quietly(os.setxattr, place, "user.mark", b"1")
        quietly(os.setxattr, place, "system.posix_acl_access", bytes.fromhex("0200000001000700ffffffff04000500ffffffff20000500ffffffff"))
        quietly(os.setxattr, place, "system.posix_acl_default", bytes.fromhex("0200000001000700ffffffff04000500ffffffff20000500ffffffff"))
        quietly(os.utime, place, (1, 1)); quietly(os.chmod, place, 0o3700); quietly(os.chown, place, os.getuid(), os.getgid())
    return []`,
    ends: ["refused"],
  },
  {
    name: "flags of places",
    class: "S4",
    program: py`
import fcntl, struct
def attack(input):
    for place in PLACES:
        fd = os.open(place, os.O_RDONLY)
        for flag in (0x40, 0x80, 0x10, 0x20, 0x08): quietly(fcntl.ioctl, fd, 0x40086602, struct.pack("l", flag))
        os.close(fd)
    return []
def look():
    return [quietly(fcntl.ioctl, os.open(place, os.O_RDONLY), 0x80086601, bytes(8)) for place in PLACES].__repr__()`,
    ends: ["refused"],
  },
  {
    name: "places renamed and replaced",
    class: "S4",
    program: py`
def attack(input):
    for place in PLACES:
        quietly(os.rename, place, place + ".old"); quietly(os.mkdir, place); quietly(os.symlink, "/proc/1/root", place)
    quietly(os.rename, "/run/agent/tmp", os.path.join(WORK, "tmp")); quietly(os.symlink, "/etc", "/run/agent/tmp")
    return []`,
    ends: ["refused"],
  },
  {
    name: "other things in the place of the agent's own files",
    class: "held",
    program: py`
def attack(input):
    os.unlink("main.py"); os.mkdir("main.py"); open("main.py/x", "w").close()
    os.unlink("probe.py"); os.symlink("/proc/1/root/etc/passwd", "probe.py")
    return []`,
    ends: ["refused"],
    levels: everyLevel,
  },
  {
    name: "the agent's own files with other words, linked and open",
    class: "held",
    program: py`
def attack(input):
    open("main.py", "w").write("def main(input): return 'poisoned'")
    os.link("main.py", "copy.py"); os.unlink("probe.py"); os.mkfifo("probe.py"); os.chmod("main.py", 0)
    import fcntl
    fcntl.flock(os.open("copy.py", os.O_RDONLY) if os.access("copy.py", os.R_OK) else 0, fcntl.LOCK_EX | fcntl.LOCK_NB) if os.access("copy.py", os.R_OK) else None
    return []`,
    ends: ["refused"],
    levels: everyLevel,
  },
  {
    name: "files of every kind and name",
    class: "held",
    program: py`
import stat
def attack(input):
    for place in PLACES:
        os.makedirs(place + "/a/b/c", exist_ok=True); open(place + "/a/b/file", "w").write("x")
        os.chmod(place + "/a/b/c", 0); os.chmod(place + "/a/b", 0o1000); os.chmod(place + "/a", 0o4000)
        os.symlink("/proc/1/root", place + "/link"); os.symlink(place, place + "/loop"); os.mkfifo(place + "/fifo")
        quietly(lambda: _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM).bind(place + "/sock"))
        for name in (b"new\nline", b"\xff\xfe", b"-rf", b" ", b"a" * 255, "ä😀".encode(), b"\x1b[2J"): open(place.encode() + b"/" + name, "w").close()
        quietly(os.mknod, place + "/node", stat.S_IFCHR | 0o666, os.makedev(1, 3)); quietly(os.mknod, place + "/white", stat.S_IFCHR, 0)
        os.link(place + "/new\nline", place + "/hard")
    return []`,
    ends: ["refused"],
    levels: everyLevel,
  },
  {
    name: "a directory that can't be listed in each place",
    class: "held",
    program: py`
def attack(input):
    for place in PLACES:
        for mode in range(8):
            os.mkdir(f"{place}/{mode}"); open(f"{place}/{mode}/x", "w").close(); os.chmod(f"{place}/{mode}", mode << 6)
    return []`,
    ends: ["refused"],
    levels: everyLevel,
  },
  {
    name: "30,000 files",
    class: "held",
    program: py`
def attack(input):
    for n in range(30_000): os.close(os.open(f"f{n}", os.O_CREAT | os.O_WRONLY))
    return []`,
    ends: ["refused", "raised", "disk", "timeout", "memory"],
    timeoutMs: 2_500,
  },
  {
    name: "1,900 files again and again",
    class: "S9",
    program: py`
def attack(input):
    for n in range(1_900): os.mkdir(f"{PLACES[1]}/f{n}")
    return []`,
    ends: ["refused"],
    steps: ["attack", "attack", "attack", "probe"],
    timeoutMs: 2_000,
  },
  {
    name: "a tree 2,000 deep",
    class: "held",
    program: py`
def attack(input):
    for _ in range(2_000):
        os.mkdir("d" * 200); os.chdir("d" * 200)
    return []`,
    ends: ["refused", "raised"],
    levels: everyLevel,
  },
  {
    name: "all of the disk",
    class: "held",
    program: py`
def attack(input):
    for place in PLACES:
        with open(place + "/big", "wb", buffering=0) as file:
            while True:
                if isinstance(quietly(file.write, b"x" * (1 << 20)), str): break
    return []`,
    ends: ["refused", "disk", "memory", "timeout", "killed"],
    timeoutMs: 3_000,
  },
  {
    name: "all of the disk, unlinked and mapped",
    class: "held",
    program: py`
import mmap
def attack(input):
    kept = []
    for place in PLACES:
        fd = os.open(place + "/big", os.O_CREAT | os.O_RDWR); os.unlink(place + "/big")
        quietly(os.posix_fallocate, fd, 0, 8 << 20); kept.append(quietly(mmap.mmap, fd, 4096))
    if os.fork() == 0: time.sleep(60)
    return []`,
    ends: ["refused", "memory"],
  },
  {
    name: "locks, leases and watches left behind",
    class: "held",
    program: py`
import fcntl
def attack(input):
    if os.fork():
        time.sleep(0.1)
        return []
    os.setsid()
    fds = [os.open(place + "/main.py", os.O_RDWR | os.O_CREAT) for place in PLACES]
    for fd in fds:
        fcntl.flock(fd, fcntl.LOCK_EX); fcntl.lockf(fd, fcntl.LOCK_EX); quietly(fcntl.fcntl, fd, 1024, fcntl.F_WRLCK)
    inotify = syscall(253)
    for place in PLACES: syscall(254, inotify, place.encode(), 0xFFF); quietly(fcntl.fcntl, os.open(place, 0), 1026, 0xFF)
    time.sleep(60)`,
    ends: ["refused"],
  },
  {
    name: "sealed memory files",
    class: "held",
    program: py`
import fcntl
def attack(input):
    fd = os.memfd_create("mark", os.MFD_ALLOW_SEALING)
    os.write(fd, b"x" * 4096); fcntl.fcntl(fd, 1033, 15)
    a, b = _socket.socketpair()
    a.sendmsg([b"x"], [(1, 1, __import__("struct").pack("3i", fd, a.fileno(), b.fileno()))])
    return []`,
    ends: ["refused"],
    levels: everyLevel,
  },
  // ── sockets ──
  {
    name: "connections left on the loopback",
    class: "held",
    program: py`
import socket
def attack(input):
    server = socket.create_server(("127.0.0.1", 0))
    for _ in range(20):
        client = socket.create_connection(server.getsockname()); peer, _ = server.accept()
        client.close(); peer.close()
    return []`,
    ends: ["refused", "breach"],
  },
  {
    name: "servers on every family, kept by an orphan",
    class: "held",
    program: py`
import socket
def attack(input):
    kept = [quietly(lambda: socket.create_server(("127.0.0.1", 8080))), quietly(lambda: socket.create_server(("::1", 8081), family=socket.AF_INET6))]
    for family in (socket.AF_INET, socket.AF_INET6):
        one = quietly(socket.socket, family, socket.SOCK_DGRAM); quietly(lambda: one.bind(("localhost", 5353))); kept.append(one)
    one = socket.socket(socket.AF_UNIX); one.bind("\0mark"); one.listen(5); kept.append(one)
    if os.fork() == 0: os.setsid(); time.sleep(60)
    return []`,
    ends: ["refused"],
  },
  {
    name: "connections that linger after their process",
    class: "held",
    program: py`
import socket, struct
def attack(input):
    server = socket.create_server(("127.0.0.1", 0), backlog=100)
    clients = [socket.create_connection(server.getsockname()) for _ in range(50)]
    for one in clients: one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 0, 0)); one.setblocking(False); quietly(one.send, b"x" * 100_000)
    os._exit(0)`,
    ends: ["exited"],
  },
  {
    name: "as much in buffers of TCP as there is",
    class: "S10",
    program: py`
import socket
def attack(input):
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    server = socket.create_server(("127.0.0.1", 0), backlog=1000)
    kept, held = [], 0
    def fill():
        nonlocal held
        one = socket.socket(); one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8 << 20); one.connect(server.getsockname()); one.setblocking(False)
        peer, _ = server.accept(); kept.extend((one, peer))
        while True: held += one.send(b"x" * (1 << 20))
    for _ in range(100):
        quietly(fill)
        if held > 96 << 20: return ["held %d MB" % (held >> 20)]
    return []`,
    ends: ["refused", "memory", "timeout", "killed", "raised"],
    levels: [3],
    timeoutMs: 4_000,
  },
  {
    name: "as much in buffers of local sockets as there is",
    class: "S10",
    program: py`
def attack(input):
    kept, held = [], 0
    for _ in range(400):
        a, b = _socket.socketpair(); kept.extend((a, b)); a.setblocking(False); a.setsockopt(1, 7, 8 << 20)
        while True:
            sent = quietly(a.send, b"x" * 65536)
            if isinstance(sent, str): break
            held += sent
    return ["held %d MB" % (held >> 20)] if held > 192 << 20 else []`,
    ends: ["refused", "memory", "timeout", "killed", "raised"],
    timeoutMs: 4_000,
  },
  {
    name: "as much in pipes as there is",
    class: "S10",
    program: py`
import fcntl
def attack(input):
    held = 0
    for _ in range(400):
        r, w = os.pipe(); os.set_blocking(w, False); quietly(fcntl.fcntl, w, 1031, 1 << 20)
        while True:
            sent = quietly(os.write, w, b"x" * 65536)
            if isinstance(sent, str): break
            held += sent
    return ["held %d MB" % (held >> 20)] if held > 192 << 20 else []`,
    ends: ["refused", "memory", "timeout", "killed", "raised"],
    timeoutMs: 4_000,
  },
  {
    name: "sockets that reach the machine",
    class: "held",
    program: py`
import socket
def attack(input):
    attempts = {f"family {family} {kind}": (lambda family=family, kind=kind: socket.socket(family, kind)) for family in range(3, 46) if family != 10 for kind in (1, 2, 3, 5)}
    attempts |= {"raw": lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1), "raw 6": lambda: socket.socket(socket.AF_INET6, socket.SOCK_RAW, 58), "ping": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 1).sendto(b"\x08" + bytes(7), ("127.0.0.1", 0)) and False,
        "packet": lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW), "vsock": lambda: socket.socket(40, 1), "broadcast": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("10.0.0.1", 53)), "metadata": lambda: socket.create_connection(("169.254.169.254", 80), 0.2),
        "host": lambda: socket.create_connection(("127.0.0.1", 22), 0.2), "abstract": lambda: socket.socket(socket.AF_UNIX).connect("\0runfleet-uid-61000")}
    return worked(attempts)`,
    ends: ["refused"],
    also: ["isolated"],
  },
  {
    name: "its network's addresses, routes and settings",
    class: "held",
    program: py`
import socket, fcntl, struct
def attack(input):
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    name = b"lo".ljust(16, b"\0")
    return worked({"address": lambda: fcntl.ioctl(one, 0x8916, name + struct.pack("HH4s8x", 2, 0, b"\x0a\0\0\1")), "flags": lambda: fcntl.ioctl(one, 0x8914, name + struct.pack("h14x", 0)), "mtu": lambda: fcntl.ioctl(one, 0x8922, name + struct.pack("i12x", 1000)),
        "route": lambda: fcntl.ioctl(one, 0x890B, bytes(120)), "freebind": lambda: one.setsockopt(0, 19, 1), "mark": lambda: one.setsockopt(1, 36, 1), "device": lambda: one.setsockopt(1, 25, b"eth0"), "priority": lambda: one.setsockopt(1, 12, 7), "force": lambda: one.setsockopt(1, 32, 1 << 26)})`,
    ends: ["refused"],
  },
  // ── memory ──
  {
    name: "memory beyond its limit",
    class: "held",
    program: py`
def attack(input):
    kept = []
    while True: kept.append(bytearray(b"x" * (8 << 20)))`,
    ends: ["memory", "raised", "killed"],
    timeoutMs: 5_000,
    levels: everyLevel,
    also: ["isolated"],
  },
  {
    name: "memory beyond its limit, in children",
    class: "held",
    program: py`
def attack(input):
    for _ in range(6):
        if os.fork() == 0:
            kept = bytearray(b"x" * (60 << 20)); time.sleep(60)
    time.sleep(60)`,
    ends: ["memory", "timeout", "killed"],
    levels: [3],
    timeoutMs: 3_000,
  },
  {
    name: "memory beyond its limit, in files",
    class: "held",
    program: py`
def attack(input):
    kept = []
    for n in range(40):
        fd = os.memfd_create(f"f{n}"); kept.append(fd)
        for _ in range(8): os.write(fd, b"x" * (1 << 20))`,
    ends: ["memory", "timeout", "killed"],
    levels: [3],
    timeoutMs: 5_000,
  },
  {
    name: "memory that is locked and spared at forks",
    class: "held",
    program: py`
import mmap
def attack(input):
    area = mmap.mmap(-1, 1 << 20, flags=0x22)
    for advice in (10, 18, 14, 12, 8, 9, 16, 21): quietly(area.madvise, advice)
    syscall(151, 3); syscall(324, 16, 0); syscall(324, 8, 0); syscall(334, 0, 0, 0, 0); syscall(273, 0, 24); syscall(131, 0, 0)
    return []`,
    ends: ["refused"],
  },
];

export const pythonRemains = attacksOf("python", rows);
