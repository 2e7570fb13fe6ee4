/**
 * Numbers of the system calls that the filter names, from Linux 6.1's `asm/unistd_64.h` (x86_64) and
 * `asm-generic/unistd.h` (aarch64). A call that an architecture hasn't is left out.
 */
export type SyscallTable = { auditArch: number; numbers: Record<string, number> };

export const syscallTables: Record<string, SyscallTable> = {
  x64: {
    auditArch: 0xc000003e,
    numbers: { 
      ptrace: 101, mount: 165, umount2: 166, pivot_root: 155, chroot: 161, swapon: 167, swapoff: 168, reboot: 169,
      sethostname: 170, setdomainname: 171, init_module: 175, finit_module: 313, delete_module: 176, kexec_load:
      246, kexec_file_load: 320, bpf: 321, perf_event_open: 298, userfaultfd: 323, keyctl: 250, add_key: 248,
      request_key: 249, process_vm_readv: 310, process_vm_writev: 311, unshare: 272, setns: 308,
      open_by_handle_at: 304, name_to_handle_at: 303, io_uring_setup: 425, io_uring_enter: 426, io_uring_register:
      427, acct: 163, quotactl: 179, syslog: 103, personality: 135, iopl: 172, ioperm: 173, kcmp: 312, move_mount:
      429, open_tree: 428, fsopen: 430, fsconfig: 431, fsmount: 432, fspick: 433, mount_setattr: 442, pidfd_getfd:
      438, move_pages: 279, mbind: 237, set_mempolicy: 238, migrate_pages: 256, vhangup: 153, clock_settime: 227,
      settimeofday: 164, adjtimex: 159, clock_adjtime: 305, memfd_secret: 447, clone3: 435, clone: 56, ioctl: 16,
      socket: 41,
    },
  },
  arm64: {
    auditArch: 0xc00000b7,
    numbers: { 
      ptrace: 117, mount: 40, umount2: 39, pivot_root: 41, chroot: 51, swapon: 224, swapoff: 225, reboot: 142,
      sethostname: 161, setdomainname: 162, init_module: 105, finit_module: 273, delete_module: 106, kexec_load:
      104, kexec_file_load: 294, bpf: 280, perf_event_open: 241, userfaultfd: 282, keyctl: 219, add_key: 217,
      request_key: 218, process_vm_readv: 270, process_vm_writev: 271, unshare: 97, setns: 268, open_by_handle_at:
      265, name_to_handle_at: 264, io_uring_setup: 425, io_uring_enter: 426, io_uring_register: 427, acct: 89,
      quotactl: 60, syslog: 116, personality: 92, kcmp: 272, move_mount: 429, open_tree: 428, fsopen: 430,
      fsconfig: 431, fsmount: 432, fspick: 433, mount_setattr: 442, pidfd_getfd: 438, move_pages: 239, mbind: 235,
      set_mempolicy: 237, migrate_pages: 238, vhangup: 58, clock_settime: 112, settimeofday: 170, adjtimex: 171,
      clock_adjtime: 266, memfd_secret: 447, clone3: 435, clone: 220, ioctl: 29, socket: 198,
    },
  },
};
