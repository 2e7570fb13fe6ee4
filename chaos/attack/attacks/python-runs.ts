import { attacksOf, type AttackRow } from "../attack.ts";

const py = String.raw;
const everybody = py`[1, 2, -1, -2] + others()`;

/** Attacks by a run on pid 1, on the template, on the kernel's settings, and on itself. */
const rows: AttackRow[] = [
  {
    name: "limits of everybody",
    class: "S4",
    program: py`
def attack(input):
    return worked({f"{pid} {what}": lambda: resource.prlimit(pid, what, (1, 1)) and None for pid in ()} | {f"{pid} {what}": (lambda pid=pid, what=what: resource.prlimit(pid, what, (1, 1))) for pid in ${everybody} for what in (0, 6, 7, 9)})`,
    ends: ["refused"],
    also: ["isolated", "full"],
  },
  {
    name: "limits of the worker",
    class: "S12",
    program: py`
def attack(input):
    return worked({f"{pid} {what}": (lambda pid=pid, what=what: resource.prlimit(pid, what)) for pid in [os.getppid()] + others()[:200] for what in (0, 7)})`,
    ends: ["refused"],
    levels: [1],
  },
  {
    name: "scheduling of the worker",
    class: "S12",
    program: py`
def attack(input):
    pids = [pid for pid in [os.getppid()] + others()[:200]]
    return worked({f"{pid} {what}": (lambda pid=pid, act=act: act(pid)) for pid in pids for what, act in {"affinity": lambda pid: os.sched_setaffinity(pid, os.sched_getaffinity(0)), "nice": lambda pid: os.setpriority(0, pid, os.getpriority(0, pid)), "batch": lambda pid: os.sched_setscheduler(pid, 0, os.sched_param(0)), "io": lambda pid: syscall(251, 1, pid, (2 << 13) | 4)}.items()})`,
    ends: ["refused"],
    levels: [1],
  },
  {
    name: "signals to the worker",
    class: "S12",
    program: py`
def attack(input):
    return worked({f"{pid}": (lambda pid=pid: os.kill(pid, 0)) for pid in [os.getppid(), 1] + others()[:200]})`,
    ends: ["refused"],
    levels: [1],
  },
  {
    name: "scheduling, priority, affinity and I/O class of everybody",
    class: "S4",
    program: py`
def attack(input):
    attempts = {}
    for pid in ${everybody}:
        for name, act in {
            "affinity": lambda pid: os.sched_setaffinity(pid, {0}), "scheduler": lambda pid: os.sched_setscheduler(pid, 5, os.sched_param(0)), "param": lambda pid: os.sched_setparam(pid, os.sched_param(0)),
            "nice": lambda pid: os.setpriority(0, pid, 19), "group's nice": lambda pid: os.setpriority(1, abs(pid), 19), "io": lambda pid: syscall(251, 1, pid, 3 << 13), "group's io": lambda pid: syscall(251, 2, abs(pid), 3 << 13),
            "attr": lambda pid: syscall(314, pid, bytes((48,)) + bytes(47), 0)}.items():
            attempts[f"{name} of {pid}"] = lambda pid=pid, act=act: act(pid)
    for who in (0, 1, os.getuid()):
        attempts[f"user's nice {who}"] = lambda who=who: os.setpriority(2, who, 19)
        attempts[f"user's io {who}"] = lambda who=who: syscall(251, 3, who, 3 << 13)
    attempts["own group's nice"] = lambda: os.setpriority(1, 0, 19)
    return worked(attempts)`,
    ends: ["refused"],
    also: ["full"],
  },
  {
    name: "its own limits, priority, class, name and flags",
    class: "S4",
    program: py`
def attack(input):
    os.nice(10); os.sched_setscheduler(0, 5, os.sched_param(0)); os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    for what in range(16): quietly(resource.setrlimit, what, (1 << 20, 1 << 20))
    syscall(251, 1, 0, 3 << 13)
    for number, value in ((1, 9), (8, 1), (15, b"marked"), (29, 50000), (36, 1), (41, 1), (25, 1), (4, 0), (38, 1), (65, 1)): prctl(number, value)
    for path, text in (("oom_score_adj", "1000"), ("timerslack_ns", "12345"), ("coredump_filter", "0"), ("clear_refs", "5"), ("comm", "marked"), ("autogroup", "19")):
        quietly(lambda: open("/proc/self/" + path, "w").write(text))
    signal.setitimer(signal.ITIMER_REAL, 5); signal.signal(signal.SIGALRM, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    os.umask(0o777)
    return []`,
    ends: ["refused"],
  },
  {
    name: "raises its own limits and priority",
    class: "S4",
    program: py`
def attack(input):
    attempts = {f"limit {what}": (lambda what=what: resource.getrlimit(what)[1] != -1 and resource.setrlimit(what, (-1, -1)) is None) for what in range(16)}
    return worked(attempts | {"nice": lambda: os.setpriority(0, 0, -1), "fifo": lambda: os.sched_setscheduler(0, 1, os.sched_param(1)), "io": lambda: syscall(251, 1, 0, 1 << 13) >= 0,
        "oom": lambda: open("/proc/self/oom_score_adj", "w").write("-500") and open("/proc/self/oom_score_adj").read().strip() == "-500"})`,
    ends: ["refused"],
    levels: [3, 2, 1],
  },
  {
    name: "every signal to pid 1, the template and everybody",
    class: "held",
    program: py`
def attack(input):
    attempts = {}
    fd = {pid: quietly(os.open, f"/proc/{pid}", 0) for pid in (1, 2)}
    for number in (0, 1, 2, 9, 10, 11, 15, 17, 19, 20, 23, 34, 40, 64):
        for pid in (1, 2, -1, -2):
            attempts[f"kill {pid} {number}"] = lambda pid=pid, number=number: os.kill(pid, number)
        for pid in (1, 2):
            for call in ((200, pid, number), (234, pid, pid, number), (129, pid, number, bytes(128)), (297, pid, pid, number, bytes(128)), (424, fd[pid], number, 0, 0)):
                attempts[f"{call[:3]}"] = lambda call=call: syscall(*call)
    return worked(attempts)`,
    ends: ["refused"],
    also: ["full"],
  },
  {
    name: "signals by an owner of descriptors",
    class: "held",
    program: py`
import fcntl, struct
def attack(input):
    r, w = os.pipe(); a, b = _socket.socketpair()
    return worked({"owner": lambda: fcntl.fcntl(r, fcntl.F_SETOWN, 2), "group": lambda: fcntl.fcntl(r, fcntl.F_SETOWN, -2), "ex": lambda: fcntl.fcntl(r, 15, struct.pack("ii", 1, 2)),
        "ioctl": lambda: fcntl.ioctl(a, 0x8901, struct.pack("i", 2)), "pgrp": lambda: fcntl.ioctl(a, 0x8902, struct.pack("i", -2)), "pidfd": lambda: os.pidfd_open(2), "pidfd of 1": lambda: os.pidfd_open(1)})`,
    ends: ["refused"],
  },
  {
    name: "files of pid 1 and the template",
    class: "held",
    program: py`
def attack(input):
    names = ("mem", "maps", "environ", "auxv", "fd", "fdinfo", "map_files", "root", "cwd", "exe", "pagemap", "io", "personality", "stack", "syscall", "timers", "ns/mnt", "ns/net")
    writes = ("oom_score_adj", "oom_adj", "timerslack_ns", "coredump_filter", "clear_refs", "comm", "autogroup", "sched", "uid_map", "gid_map", "setgroups", "projid_map", "attr/current", "attr/exec", "loginuid", "mem")
    attempts = {}
    for pid in (1, 2):
        for name in names: attempts[f"{pid} {name}"] = lambda path=f"/proc/{pid}/{name}": os.listdir(path) if os.path.isdir(path) else os.read(os.open(path, 0), 1)
        for name in ("root", "cwd", "exe", "fd/5", "fd/3"): attempts[f"{pid} link {name}"] = lambda path=f"/proc/{pid}/{name}": os.readlink(path)
        for name in writes: attempts[f"{pid} write {name}"] = lambda path=f"/proc/{pid}/{name}": os.write(os.open(path, os.O_WRONLY), b"0")
        for name in ("oom_score_adj", "timerslack_ns", "comm"): attempts[f"{pid} task {name}"] = lambda path=f"/proc/{pid}/task/{pid}/{name}": os.write(os.open(path, os.O_WRONLY), b"0")
    return worked(attempts)`,
    ends: ["refused"],
    also: ["full"],
  },
  {
    name: "a look at everybody's descriptors",
    class: "held",
    program: py`
def attack(input):
    return worked({f"{pid} {name}": (lambda path=f"/proc/{pid}/{name}": os.listdir(path)) for pid in (1, 2) for name in ("fd", "fdinfo", "task/%d/fd" % pid, "map_files")})`,
    ends: ["refused"],
  },
  {
    name: "memory and places of others, by system calls",
    class: "held",
    program: py`
import ctypes
def attack(input):
    page = ctypes.create_string_buffer(4096)
    iovec = ctypes.create_string_buffer(__import__("struct").pack("QQ", ctypes.addressof(page), 8))
    return worked({f"{number} of {pid}": (lambda number=number, pid=pid, args=args: syscall(number, pid, *args)) for pid in (1, 2) for number, args in (
        (310, (iovec, 1, iovec, 1, 0)), (311, (iovec, 1, iovec, 1, 0)), (312, (pid, 0, 0, 0)), (279, (0, 0, 0, 0, 0)), (256, (64, page, page)), (274, (page, page)), (434, (0,)), (440, (0, 0, 0, 0)), (448, (0,)), (438, (0, 0)))}
        | {f"trace {request} {pid}": (lambda request=request, pid=pid: syscall(101, request, pid, 0, 0)) for request in (16, 0x4206) for pid in (1, 2)})`,
    ends: ["refused"],
  },
  {
    name: "calls that no agent needs",
    class: "S21",
    program: py`
import ctypes
def attack(input):
    page = ctypes.create_string_buffer(4096)
    calls = {"traceme": (101, 0), "userfaultfd": (323, 0), "userfaultfd, own faults": (323, 1), "io_uring": (425, 1, page), "bpf": (321, 0, page, 128), "perf": (298, page, 0, -1, -1, 0), "keyctl": (250, 0, -3, 1), "add_key": (248, b"user", b"mark", b"1", 1, -3),
        "request_key": (249, b"user", b"mark", 0, -3), "unshare user": (272, 0x10000000), "unshare mount": (272, 0x20000), "unshare time": (272, 0x80), "setns": (308, 0, 0), "clone newuser": (56, 0x10000011, 0, 0, 0, 0), "clone3": (435, page, 88), "mount": (165, b"a", b"/tmp", b"tmpfs", 0, 0),
        "fsopen": (430, b"tmpfs", 0), "open_tree": (428, -100, b"/", 1), "pivot_root": (155, b"/", b"/"), "chroot": (161, b"/tmp"), "shmget": (29, 0, 4096, 0o1600), "semget": (64, 0, 1, 0o1600), "msgget": (68, 0, 0o1600), "mq_open": (240, b"mark", 0o102, 0o600, 0),
        "personality": (135, 0x40000), "sethostname": (170, b"mark", 4), "setdomainname": (171, b"mark", 4), "fanotify": (300, 0, 0), "fanotify, unprivileged": (300, 0x200, 0), "handle": (304, 0, page, 0), "modules": (175, page, 1, b""), "kexec": (246, 0, 0, 0, 0), "reboot": (169, 0, 0, 0, 0),
        "swapon": (167, b"/tmp", 0), "acct": (163, b"/tmp"), "quotactl": (179, 0, 0, 0, 0), "syslog": (103, 2, page, 100), "iopl": (172, 3), "ioperm": (173, 0, 1, 1), "clock": (227, 0, page), "adjtimex": (159, ctypes.create_string_buffer(b"\1" + bytes(207))), "vhangup": (153,), "memfd_secret": (447, 0),
        "mempolicy": (238, 1, page, 8), "setuid": (105, 0), "setgid": (106, 0), "setresuid": (117, 0, 0, 0), "setgroups": (116, 0, 0), "landlock": (446, 0, 0), "setfsuid": (122, 0)}
    before = os.getresuid(), os.getresgid()
    done = worked({name: (lambda call=call: syscall(*call)) for name, call in calls.items() if not (name in ("setuid", "setresuid", "setgid") and 0 in os.getresuid()) and name != "setfsuid"})
    return done if before == (os.getresuid(), os.getresgid()) else ["ids"]`,
    ends: ["refused"],
    also: ["isolated", "full"],
  },
  {
    name: "settings of the kernel",
    class: "held",
    program: py`
def attack(input):
    paths = [os.path.join(folder, name) for top in ("/proc/sys/kernel", "/proc/sys/vm", "/proc/sys/net", "/proc/sys/fs", "/proc/sys/user", "/proc/sys/debug") for folder, _, names in os.walk(top) for name in names]
    paths += ["/proc/sysrq-trigger", "/proc/self/uid_map", "/proc/self/gid_map", "/proc/self/setgroups", "/proc/self/projid_map", "/proc/1/oom_score_adj", "/proc/sys/kernel/ns_last_pid", "/proc/self/mem/../uid_map", "/proc/irq/default_smp_affinity", "/proc/mtrr", "/proc/timer_list", "/proc/kcore", "/proc/kmsg", "/proc/kpageflags"]
    return [path for path in paths if not isinstance(quietly(lambda: os.write(os.open(path, os.O_WRONLY), b"0 0 1")), str)]`,
    ends: ["refused"],
    timeoutMs: 3_000,
  },
  {
    name: "capabilities and secure bits",
    class: "held",
    program: py`
import ctypes, struct
def attack(input):
    header = ctypes.create_string_buffer(struct.pack("Ii", 0x20080522, 0))
    return worked({"capset": lambda: syscall(126, header, ctypes.create_string_buffer(b"\xff" * 24)), "ambient": lambda: prctl(47, 2, 21), "keep": lambda: False if prctl(8, 1) >= 0 else False, "securebits": lambda: prctl(28, 0x2f), "bounding": lambda: prctl(23, 21) == 1 and prctl(24, 21)})`,
    ends: ["refused"],
  },
  {
    name: "the map of its own memory",
    class: "S4",
    program: py`
def attack(input):
    for option in range(1, 16): prctl(35, option, 0x10000)
    return worked({"exe": lambda: prctl(35, 13, 0), "arch": lambda: syscall(158, 0x1002, 1 << 62)})`,
    ends: ["refused"],
  },
  {
    name: "a run stops itself",
    class: "held",
    program: py`
def attack(input): os.kill(0, signal.SIGSTOP)`,
    ends: ["timeout"],
    levels: [3, 2, 1, 0],
    also: ["isolated"],
  },
  {
    name: "a run kills itself",
    class: "held",
    program: py`
def attack(input): os.kill(os.getpid(), 9)`,
    ends: ["killed"],
    levels: [3, 2, 1, 0],
  },
  {
    name: "exit codes of every kind",
    class: "held",
    program: py`
def attack(input): os._exit(137)`,
    ends: ["exited", "killed"],
    levels: [3, 2, 1, 0],
  },
  {
    name: "says that it was ended by its limit",
    class: "S9",
    program: py`
def attack(input): burn(0.1); os.kill(os.getpid(), signal.SIGXCPU)`,
    ends: ["cpu"],
    burnsMs: 100,
  },
  {
    name: "a fault of the machine",
    class: "held",
    program: py`
import ctypes
def attack(input): ctypes.string_at(0)`,
    ends: ["killed"],
    levels: [3, 2, 1, 0],
  },
  {
    name: "burns until its limit",
    class: "S9",
    program: py`
signal.signal(signal.SIGXCPU, signal.SIG_IGN)
def attack(input):
    while True: pass`,
    ends: ["cpu"],
    cpuMs: 400,
    timeoutMs: 5_000,
    burnsMs: 400,
    levels: [3, 2],
    also: ["isolated"],
  },
  {
    name: "burns in eight processes",
    class: "S9",
    program: py`
def attack(input):
    for _ in range(7):
        if os.fork() == 0: break
    while True: pass`,
    ends: ["cpu", "timeout"],
    cpuMs: 600,
    timeoutMs: 5_000,
    burnsMs: 500,
  },
  {
    name: "burns in children that nobody waits for",
    class: "S9",
    program: py`
def attack(input):
    r, w = os.pipe()
    for _ in range(4):
        if os.fork() == 0:
            if os.fork() == 0: burn(0.1)
            os._exit(0)
    os.close(w); os.read(r, 1)
    return []`,
    ends: ["refused"],
    burnsMs: 400,
    timeoutMs: 5_000,
  },
  {
    name: "burns in children whose ends are ignored",
    class: "S9",
    program: py`
def attack(input):
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in range(4):
        if os.fork() == 0: burn(0.1); os._exit(0)
    quietly(os.wait)
    return []`,
    ends: ["refused"],
    burnsMs: 400,
    needsCgroup: true,
    timeoutMs: 5_000,
  },
  {
    name: "burns in threads",
    class: "S9",
    program: py`
import threading
def attack(input):
    started = [threading.Thread(target=burn, args=(0.3,)) for _ in range(4)]
    for one in started: one.start()
    for one in started: one.join()
    return []`,
    ends: ["refused"],
    burnsMs: 300,
    timeoutMs: 3_000,
  },
  {
    name: "a result, then it burns beside",
    class: "S9",
    program: py`
def attack(input):
    if os.fork() == 0:
        os.setsid()
        while True: pass
    time.sleep(0.3)
    return []`,
    ends: ["refused"],
    burnsMs: 100,
    also: ["isolated"],
  },
];

export const pythonRuns = attacksOf("python", rows);
