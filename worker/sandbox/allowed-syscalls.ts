/**
 * System calls by group, with their numbers on x86_64 (Linux's `asm/unistd_64.h`) and aarch64 (`asm-generic/unistd.h`);
 * `-` where an architecture has no such call. The base is what Docker's default profile allows a container without
 * capabilities (docs.docker.com/engine/security/seccomp), minus calls that no agent needs.
 */
export type Syscall = { name: string; x64: number | null; arm64: number | null };

export type SyscallGroup = { why: string; calls: readonly Syscall[] };

/** Calls that every sandbox may make with any arguments. */
export const allowedCalls: readonly SyscallGroup[] = [
  group(
    "Files. The mount namespace, or Landlock and the modes of files, bound which of them.",
    `
     read 0 63, write 1 64, open 2 -, openat 257 56, openat2 437 437, creat 85 -, close 3 57,
     close_range 436 436, lseek 8 62, pread64 17 67, pwrite64 18 68, readv 19 65, writev 20 66, preadv 295 69,
     pwritev 296 70, preadv2 327 286, pwritev2 328 287, stat 4 -, fstat 5 80, lstat 6 -, newfstatat 262 79,
     statx 332 291, access 21 -, faccessat 269 48, faccessat2 439 439, truncate 76 45, ftruncate 77 46,
     fallocate 285 47, fadvise64 221 223, readahead 187 213, fsync 74 82, fdatasync 75 83,
     sync_file_range 277 84, flock 73 32, getdents 78 -, getdents64 217 61, getcwd 79 17, chdir 80 49,
     fchdir 81 50, rename 82 -, renameat 264 38, renameat2 316 276, mkdir 83 -, mkdirat 258 34, rmdir 84 -,
     link 86 -, linkat 265 37, unlink 87 -, unlinkat 263 35, symlink 88 -, symlinkat 266 36, readlink 89 -,
     readlinkat 267 78, chmod 90 -, fchmod 91 52, fchmodat 268 53, fchmodat2 452 452, chown 92 -, fchown 93 55,
     lchown 94 -, fchownat 260 54, umask 95 166, mknod 133 -, mknodat 259 33, utime 132 -, utimes 235 -,
     utimensat 280 88, futimesat 261 -, statfs 137 43, fstatfs 138 44, dup 32 23, dup2 33 -, dup3 292 24,
     sendfile 40 71, copy_file_range 326 285, splice 275 76, tee 276 77, setxattr 188 5, lsetxattr 189 6,
     fsetxattr 190 7, getxattr 191 8, lgetxattr 192 9, fgetxattr 193 10, listxattr 194 11, llistxattr 195 12,
     flistxattr 196 13, removexattr 197 14, lremovexattr 198 15, fremovexattr 199 16, setxattrat 463 463,
     getxattrat 464 464, listxattrat 465 465, removexattrat 466 466`,
  ),
  group(
    "Pipes, events and waiting for them.",
    `
     pipe 22 -, pipe2 293 59, poll 7 -, ppoll 271 73, select 23 -, pselect6 270 72, epoll_create 213 -,
     epoll_create1 291 20, epoll_ctl 233 21, epoll_wait 232 -, epoll_pwait 281 22, epoll_pwait2 441 441,
     eventfd 284 -, eventfd2 290 19, signalfd 282 -, signalfd4 289 74, timerfd_create 283 85,
     timerfd_settime 286 86, timerfd_gettime 287 87, inotify_init 253 -, inotify_init1 294 26,
     inotify_add_watch 254 27, inotify_rm_watch 255 28`,
  ),
  group(
    "The caller's own memory.",
    `
     brk 12 214, mmap 9 222, munmap 11 215, mremap 25 216, mprotect 10 226, madvise 28 233, msync 26 227,
     mincore 27 232, mlock 149 228, mlock2 325 284, mlockall 151 230, munlock 150 229, munlockall 152 231,
     memfd_create 319 279, pkey_alloc 330 289, pkey_free 331 290, pkey_mprotect 329 288, mseal 462 462,
     map_shadow_stack 453 453, membarrier 324 283`,
  ),
  group(
    "Starting, ending and awaiting processes and threads. The arguments of clone are judged below. The kernel itself puts uretprobe into a traced program.",
    `
     fork 57 -, vfork 58 -, execve 59 221, execveat 322 281, exit 60 93, exit_group 231 94, wait4 61 260,
     waitid 247 95, set_tid_address 218 96, set_robust_list 273 99, rseq 334 293, arch_prctl 158 -,
     futex 202 98, futex_waitv 449 449, futex_wake 454 454, futex_wait 455 455, futex_requeue 456 456,
     restart_syscall 219 128, sched_yield 24 124, uretprobe 335 -`,
  ),
  group(
    "Signals. The pid namespace, or Landlock and the uid, bound which processes they reach.",
    `
     rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigreturn 15 139, rt_sigpending 127 136,
     rt_sigtimedwait 128 137, rt_sigsuspend 130 133, rt_sigqueueinfo 129 138, rt_tgsigqueueinfo 297 240,
     sigaltstack 131 132, kill 62 129, tkill 200 130, tgkill 234 131, pause 34 -, alarm 37 -, getitimer 36 102,
     setitimer 38 103, timer_create 222 107, timer_settime 223 110, timer_gettime 224 108,
     timer_getoverrun 225 109, timer_delete 226 111`,
  ),
  group(
    "Identity, limits and scheduling of the caller. Without capabilities it gains no rights by changing them.",
    `
     getpid 39 172, getppid 110 173, gettid 186 178, getuid 102 174, geteuid 107 175, getgid 104 176,
     getegid 108 177, getresuid 118 148, getresgid 120 150, getgroups 115 158, setuid 105 146, setgid 106 144,
     setreuid 113 145, setregid 114 143, setresuid 117 147, setresgid 119 149, setfsuid 122 151,
     setfsgid 123 152, setgroups 116 159, getpgid 121 155, setpgid 109 154, getpgrp 111 -, getsid 124 156,
     setsid 112 157, capget 125 90, capset 126 91, uname 63 160, sysinfo 99 179, times 100 153,
     getrusage 98 165, getcpu 309 168, getrandom 318 278, getrlimit 97 163, setrlimit 160 164,
     getpriority 140 141, ioprio_get 252 31, sched_getparam 143 121, sched_getscheduler 145 120,
     sched_getattr 315 275, sched_getaffinity 204 123, sched_get_priority_max 146 125,
     sched_get_priority_min 147 126, sched_rr_get_interval 148 127`,
  ),
  group(
    "Reading clocks and sleeping.",
    `
     time 201 -, gettimeofday 96 169, clock_gettime 228 113, clock_getres 229 114, clock_nanosleep 230 115,
     nanosleep 35 101`,
  ),
  group(
    "Use of sockets. The arguments of socket and socketpair, judged below, bound which there are.",
    `
     connect 42 203, accept 43 202, accept4 288 242, bind 49 200, listen 50 201, getsockname 51 204,
     getpeername 52 205, getsockopt 55 209, setsockopt 54 208, sendto 44 206, recvfrom 45 207, sendmsg 46 211,
     recvmsg 47 212, sendmmsg 307 269, recvmmsg 299 243, shutdown 48 210`,
  ),
  group(
    "Adding restrictions to the caller itself.",
    `
     seccomp 317 277, landlock_create_ruleset 444 444, landlock_add_rule 445 445,
     landlock_restrict_self 446 446`,
  ),
];

/** Calls that are allowed or refused by their arguments; seccomp.ts has the rules. */
export const judgedCalls: readonly Syscall[] = parse(`
     clone 56 220, ioctl 16 29, fcntl 72 25, socket 41 198, socketpair 53 199, prctl 157 167, get_robust_list 274 100, prlimit64 302 261,
     setpriority 141 140, ioprio_set 251 30, sched_setaffinity 203 122, sched_setscheduler 144 119,
     sched_setparam 142 118, sched_setattr 314 274, pidfd_open 434 434, pidfd_send_signal 424 424`);

/**
 * Calls that are refused with EPERM. Calls in no list fail with ENOSYS, as on a kernel without the call: libraries then use an
 * older one. These are calls of later kernels, clone3 (its flags are in memory, which a filter can't read), Linux AIO (its
 * contexts count against a limit of the whole machine) and sync (it writes back every file system of the machine).
 */
export const refusedCalls: readonly SyscallGroup[] = [
  group(
    "Reads or changes other processes.",
    `
     ptrace 101 117, process_vm_readv 310 270, process_vm_writev 311 271, process_madvise 440 440,
     process_mrelease 448 448, kcmp 312 272, pidfd_getfd 438 438`,
  ),
  group(
    "Makes or changes namespaces, mounts and roots.",
    `
     unshare 272 97, setns 308 268, mount 165 40, umount2 166 39, pivot_root 155 41, chroot 161 51,
     move_mount 429 429, open_tree 428 428, open_tree_attr 467 467, fsopen 430 430, fsconfig 431 431,
     fsmount 432 432, fspick 433 433, mount_setattr 442 442, sethostname 170 161, setdomainname 171 162,
     vhangup 153 58`,
  ),
  group(
    "Loads code into the kernel, watches it or runs code in it.",
    `
     init_module 175 105, finit_module 313 273, delete_module 176 106, kexec_load 246 104,
     kexec_file_load 320 294, bpf 321 280, perf_event_open 298 241, userfaultfd 323 282, syslog 103 116,
     lookup_dcookie 212 18, fanotify_init 300 262, fanotify_mark 301 263, io_uring_setup 425 425,
     io_uring_enter 426 426, io_uring_register 427 427, modify_ldt 154 -, iopl 172 -, ioperm 173 -`,
  ),
  group(
    "Settings of the whole machine: clocks, swap, quotas, accounting, power.",
    `
     reboot 169 142, swapon 167 224, swapoff 168 225, acct 163 89, quotactl 179 60, quotactl_fd 443 443,
     settimeofday 164 170, clock_settime 227 112, adjtimex 159 171, clock_adjtime 305 266, personality 135 92`,
  ),
  group(
    "Keyrings and file handles, which no namespace bounds.",
    `
     keyctl 250 219, add_key 248 217, request_key 249 218, name_to_handle_at 303 264, open_by_handle_at 304 265`,
  ),
  group(
    "Memory and queues that outlive their process, or that no limit of the sandbox counts.",
    `
     shmget 29 194, shmat 30 196, shmctl 31 195, shmdt 67 197, semget 64 190, semop 65 193, semctl 66 191,
     semtimedop 220 192, msgget 68 186, msgsnd 69 189, msgrcv 70 188, msgctl 71 187, mq_open 240 180,
     mq_unlink 241 181, mq_timedsend 242 182, mq_timedreceive 243 183, mq_notify 244 184, mq_getsetattr 245 185,
     memfd_secret 447 447`,
  ),
  group(
    "Moves memory between nodes, also that of other processes.",
    `
     mbind 237 235, set_mempolicy 238 237, set_mempolicy_home_node 450 450, migrate_pages 256 238,
     move_pages 279 239`,
  ),
];

function group(why: string, calls: string): SyscallGroup {
  return { why, calls: parse(calls) };
}

function parse(calls: string): Syscall[] {
  return calls
    .trim()
    .split(/,\s*/)
    .map((call) => {
      const [name = "", x64 = "-", arm64 = "-"] = call.split(" ");
      return { name, x64: numberOf(x64), arm64: numberOf(arm64) };
    });
}

function numberOf(text: string): number | null {
  return text === "-" ? null : Number(text);
}
