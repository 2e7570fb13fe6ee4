# Hostile agents: each attempt tries to get out, or at something that isn't its own. It escaped when it returns something true.
import ctypes
import errno
import glob
import os
import resource
import signal
import socket
import subprocess
import sys

libc = ctypes.CDLL(None, use_errno=True)
NUMBERS = {  # asm/unistd_64.h for x86_64, asm-generic/unistd.h for aarch64
    "x86_64": dict(ptrace=101, mount=165, umount2=166, pivot_root=155, chroot=161, unshare=272, setns=308, bpf=321, perf_event_open=298, userfaultfd=323, io_uring_setup=425, keyctl=250, add_key=248, reboot=169, init_module=175, finit_module=313, kexec_load=246, personality=135, swapon=167, process_vm_readv=310, process_vm_writev=311, open_by_handle_at=304, fsopen=430, clone3=435, settimeofday=164, sethostname=170, acct=163, syslog=103, pidfd_open=434, pidfd_getfd=438, capset=126, capget=125, memfd_secret=447, shmget=29, msgget=68, semget=64, mq_open=240, iopl=172),
    "aarch64": dict(ptrace=117, mount=40, umount2=39, pivot_root=41, chroot=51, unshare=97, setns=268, bpf=280, perf_event_open=241, userfaultfd=282, io_uring_setup=425, keyctl=219, add_key=217, reboot=142, init_module=105, finit_module=273, kexec_load=104, personality=92, swapon=224, process_vm_readv=270, process_vm_writev=271, open_by_handle_at=265, fsopen=430, clone3=435, settimeofday=170, sethostname=161, acct=89, syslog=116, pidfd_open=434, pidfd_getfd=438, capset=91, capget=90, memfd_secret=447, shmget=194, msgget=186, semget=190, mq_open=180),
}[os.uname().machine]
NEW_NAMESPACES = 0x7E020000
pattern = ctypes.create_string_buffer(4096)


def call(name, *args):
    """Whether the kernel did it."""
    number = NUMBERS.get(name)
    return number is not None and libc.syscall(number, *args) >= 0


def can(function, *args):
    try:
        return function(*args) or True
    except (OSError, ValueError):
        return False


def read(path):
    with open(path, "rb") as file:
        return file.read(4096)


def write(path, data=b"x"):
    with open(path, "wb") as file:
        file.write(data)


def connect(family, address, kind=socket.SOCK_STREAM):
    with socket.socket(family, kind) as client:
        client.settimeout(0.5)
        client.connect(address)
        return True


# ── descriptors, first: later attempts open some ──
def inherited(_):
    null = os.stat("/dev/null").st_rdev
    return any(can(os.fstat, fd) and os.fstat(fd).st_rdev != null for fd in range(4, 1024))
def control_channel(_): return can(os.write, 5, b'{"type":"clean"}\n')


# ── files ──
def shadow(_): return can(read, "/etc/shadow")
def host_secret(input): return can(read, input["secret_file"])
def host_directory(input): return can(os.listdir, os.path.dirname(input["secret_file"]) ) and os.path.basename(input["secret_file"]) in os.listdir(os.path.dirname(input["secret_file"]))
def root_home(_): return can(os.listdir, "/root")
def project(input): return can(os.listdir, input["project"])
def symlink_out(input): return can(os.symlink, input["secret_file"], "link") and can(read, "link")
def hardlink_out(_): return can(os.link, "/etc/shadow", "hard") and can(read, "hard")
def dot_dot_out(input): return can(read, "../" * 12 + input["secret_file"].lstrip("/"))
def root_of_init(input): return can(read, "/proc/1/root" + input["secret_file"])
def write_programs(_): return any(can(write, path) for path in ("/usr/x", "/bin/x", "/lib/x", "/usr/bin/python3"))
def write_system(_): return any(can(write, path) for path in ("/etc/passwd", "/etc/ld.so.preload", "/x", "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger"))
def write_cgroups(_): return any(can(write, path) for path in glob.glob("/sys/fs/cgroup/**/*", recursive=True)[:200])
def raw_devices(_): return any(can(os.open, path, os.O_RDONLY) for path in ("/dev/mem", "/dev/kmem", "/dev/kmsg", "/dev/vda", "/dev/sda", "/dev/port", "/proc/kcore"))
def make_device(_): return can(os.mknod, "disk", 0o600 | 0o060000, os.makedev(8, 0))
def setuid_file(_): return can(os.setuid, 0)
def kernel_log(_): return call("syslog", 3, pattern, 4096)
def file_by_handle(_): return call("open_by_handle_at", -100, pattern, 0)


# ── processes ──
def worker_environment(input):
    return any(input["mark"].encode() in (can(read, path) or b"") for path in glob.glob("/proc/[0-9]*/environ") if can(read, path))
def worker_process(input): return can(os.kill, input["pid"], 0)
def stop_worker(input): return can(os.kill, input["pid"], signal.SIGSTOP)
def all_processes(_):
    return any(b"node" in read(path) for path in glob.glob("/proc/[0-9]*/cmdline") if can(read, path))
def trace_parent(_): return call("ptrace", 16, os.getppid(), 0, 0)
def parent_memory(_): return can(open, f"/proc/{os.getppid()}/mem", "rb")
def parent_memory_read(_):
    iov = (ctypes.c_void_p * 2)(ctypes.addressof(pattern), 8)
    return call("process_vm_readv", os.getppid(), iov, 1, iov, 1, 0)
def parent_descriptors(_): return can(os.listdir, f"/proc/{os.getppid()}/fd")
def steal_descriptor(_):
    pidfd = libc.syscall(NUMBERS["pidfd_open"], os.getppid(), 0)
    return pidfd >= 0 and call("pidfd_getfd", pidfd, 0, 0)
def become_root(_): return can(os.setresuid, 0, 0, 0) or can(os.setgid, 0) or can(os.setgroups, [0])
def capabilities(_):
    header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    return not call("capget", header, data) or any(data) or libc.prctl(39, 0, 0, 0, 0) != 1  # PR_GET_NO_NEW_PRIVS
def take_capabilities(_):
    header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)(*[0xFFFFFFFF] * 6)
    return call("capset", header, data)
def setuid_program(_):
    programs = [path for path in ("/bin/su", "/usr/bin/mount", "/usr/bin/passwd") if os.path.exists(path)]
    probe = "import os; print(os.geteuid())"
    return any(subprocess.run([path, "-c", probe], capture_output=True, stdin=subprocess.DEVNULL).stdout.strip() == b"0" for path in programs)
def limit_worker(input): return can(resource.prlimit, input["pid"], resource.RLIMIT_NOFILE) or can(resource.prlimit, os.getppid(), resource.RLIMIT_CPU, (9, 9))
def slow_worker(input): return can(os.setpriority, os.PRIO_PROCESS, input["pid"], 19)
def slow_user(_): return can(os.setpriority, os.PRIO_USER, 0, 19)
def pin_worker(input): return can(os.sched_setaffinity, input["pid"], os.sched_getaffinity(0))
def schedule_worker(input): return can(os.sched_setscheduler, input["pid"], os.SCHED_BATCH, os.sched_param(0))
def mode_of_secret(input): return can(os.chmod, input["secret_file"], 0o644)
def times_of_secret(input): return can(os.utime, input["secret_file"], (0, 0))
def raise_limits(_): return can(resource.setrlimit, resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


# ── kernel ──
def user_namespace(_): return call("unshare", 0x10000000)
def every_namespace(_): return any(call("unshare", 1 << bit) for bit in range(32) if NEW_NAMESPACES >> bit & 1)
def clone_namespace(_):
    arguments = (ctypes.c_uint64 * 11)(0x10000000, 0, 0, 0, 17)
    pid = libc.syscall(NUMBERS["clone3"], arguments, ctypes.sizeof(arguments))
    if pid == 0:
        os._exit(0)
    return pid > 0
def enter_namespace(_):
    return any(call("setns", fd, 0) for fd in (os.open(p, os.O_RDONLY) for p in glob.glob("/proc/1/ns/*") if can(os.open, p, os.O_RDONLY)))
def mount_tmpfs(_): return call("mount", b"x", b"/tmp", b"tmpfs", 0, None)
def remount_root(_): return call("mount", None, b"/", None, 32, None)
def unmount(_): return call("umount2", b"/proc", 2)
def new_mount_api(_): return call("fsopen", b"tmpfs", 0)
def change_root(_): return call("chroot", b"/tmp") or call("pivot_root", b"/tmp", b"/tmp")
def load_bpf(_): return call("bpf", 0, pattern, 48)
def perf_events(_): return call("perf_event_open", pattern, 0, -1, -1, 0)
def user_faults(_): return call("userfaultfd", 0)
def io_uring(_): return call("io_uring_setup", 4, pattern)
def kernel_keys(_): return call("keyctl", 0, -3, 1) or call("add_key", b"user", b"k", b"v", 1, -3)
def kernel_modules(_): return call("init_module", pattern, 16, b"") or call("finit_module", 0, b"", 0)
def reboot(_): return call("reboot", 0xFEE1DEAD, 672274793, 0, None) or call("kexec_load", 0, 0, None, 0)
def clock(_): return call("settimeofday", pattern, None)
def personality(_): return call("personality", 0x0040000)
def io_ports(_): return call("iopl", 3)
def hostname(_): return call("sethostname", b"x", 1)
def system_v_memory(_): return call("shmget", 4711, 4096, 0o1666)
def system_v_messages(_): return call("msgget", 4711, 0o1666) or call("semget", 4711, 1, 0o1666)
def message_queue(_): return call("mq_open", b"queue", 0o102, 0o666, None)
def type_on_terminal(_):
    import fcntl
    return any(can(fcntl.ioctl, fd, 0x5412, b"x") for fd in range(3))


# ── network ──
def tcp(input): return can(connect, socket.AF_INET, ("127.0.0.1", input["port"]))
def tcp6(input): return can(connect, socket.AF_INET6, ("::1", input["port"]))
def unix_socket(input): return can(connect, socket.AF_UNIX, input["socket"])
def unix_datagram(input):
    for one in can(socket.socketpair, socket.AF_UNIX, socket.SOCK_DGRAM) or ():
        try:
            one.connect(input["socket"])
            return True
        except OSError as error:
            if error.errno == errno.EPROTOTYPE:  # Found, and not refused.
                return True
    return False
def abstract_socket(input): return can(connect, socket.AF_UNIX, "\0" + input["abstract"])
def metadata(_): return can(connect, socket.AF_INET, ("169.254.169.254", 80))
def internet(_): return can(connect, socket.AF_INET, ("1.1.1.1", 53))
def raw_socket(_): return can(socket.socket, socket.AF_INET, socket.SOCK_RAW, 1)
def packet_socket(_): return can(socket.socket, socket.AF_PACKET, socket.SOCK_RAW)
def netlink(_): return can(socket.socket, socket.AF_NETLINK, socket.SOCK_RAW)
def hypervisor(_): return can(socket.socket, 40, socket.SOCK_STREAM)
def resolver(_): return can(socket.gethostbyname, "example.com")


def main(input, context):
    attempts = {name: function for name, function in globals().items() if callable(function) and getattr(function, "__module__", None) == __name__ and name not in TOOLS}
    escaped = []
    attempts = {name: attempt for name, attempt in attempts.items() if name in input.get("only", attempts)}
    for name, attempt in attempts.items():
        try:
            if attempt(input):
                escaped.append(name)
        except Exception as error:
            escaped.append(f"{name}: {type(error).__name__}: {error}")
    return {"tried": len(attempts), "escaped": escaped}


TOOLS = {"call", "can", "read", "write", "connect", "main"}
