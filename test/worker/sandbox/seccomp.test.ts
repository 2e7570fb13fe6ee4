import { describe, expect, test } from "vitest";
import { assembleSeccomp } from "../../../worker/sandbox/seccomp.ts";
import { allowedCalls, judgedCalls, refusedCalls } from "../../../worker/sandbox/allowed-syscalls.ts";

const allow = 0x7fff0000;
const kill = 0x80000000;
const errno = (code: number) => 0x00050000 + code;

/** Runs a filter as the kernel would, on one call. */
function judge(program: Buffer, call: { arch: number; number: number; args?: number[] }): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call.number, 0);
  data.writeUInt32LE(call.arch, 4);
  for (const [index, value] of (call.args ?? []).entries()) data.writeUInt32LE(value >>> 0, 16 + index * 8);
  let accumulator = 0;
  for (let at = 0; at < program.length; at += 8) {
    const code = program.readUInt16LE(at);
    const k = program.readUInt32LE(at + 4);
    const jump = (taken: boolean) => (at += 8 * program.readUInt8(at + (taken ? 2 : 3)));
    if (code === 0x20) accumulator = data.readUInt32LE(k);
    else if (code === 0x06) return k;
    else if (code === 0x05) at += 8 * k;
    else if (code === 0x15) jump(accumulator === k);
    else if (code === 0x35) jump(accumulator >= k);
    else if (code === 0x45) jump((accumulator & k) !== 0);
    else throw new Error(`unknown instruction ${code}`);
  }
  throw new Error("the filter ended without an answer");
}

const auditArches = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
const plain = allowedCalls.flatMap(({ calls }) => calls);
const refused = refusedCalls.flatMap(({ calls }) => calls);

/** What the deny-list before this one refused, and clone3: an allow-list must not let any of it through. */
const everRefused =
  "ptrace mount umount2 pivot_root chroot swapon swapoff reboot sethostname setdomainname init_module finit_module delete_module kexec_load kexec_file_load bpf perf_event_open userfaultfd keyctl add_key request_key process_vm_readv process_vm_writev unshare setns open_by_handle_at name_to_handle_at io_uring_setup io_uring_enter io_uring_register acct quotactl shmget semget msgget mq_open syslog personality iopl ioperm kcmp move_mount open_tree fsopen fsconfig fsmount fspick mount_setattr pidfd_getfd move_pages mbind set_mempolicy migrate_pages vhangup clock_settime settimeofday adjtimex clock_adjtime memfd_secret".split(
    " ",
  );

describe.each(["x64", "arm64"] as const)("the filter for %s", (arch) => {
  const own = assembleSeccomp(arch, "namespaces") ?? Buffer.alloc(0);
  const shared = assembleSeccomp(arch, "shared") ?? Buffer.alloc(0);
  const numbers = new Map([...plain, ...judgedCalls, ...refused].map((call) => [call.name, call[arch]]));
  const here = (calls: typeof plain) => calls.flatMap(({ name, [arch]: number }) => (number === null ? [] : [name]));
  const ask = (name: string, args: number[] = [], program = own) =>
    judge(program, { arch: auditArches[arch], number: numbers.get(name) ?? -1, args });

  test("no number is listed twice", () => {
    const listed = [...numbers.values()].filter((number) => number !== null);
    expect(new Set(listed).size).toBe(listed.length);
    expect(numbers.size).toBe(plain.length + judgedCalls.length + refused.length);
  });
  test("each allowed call is let through, with any arguments", () => {
    for (const name of here(plain))
      for (const program of [own, shared]) expect([name, ask(name, [-1, -1], program)]).toEqual([name, allow]);
  });
  test("each refused call fails with EPERM, and so does all that was ever refused", () => {
    expect(everRefused.filter((name) => !refused.some((call) => call.name === name))).toEqual([]);
    for (const name of here(refused))
      for (const program of [own, shared]) expect([name, ask(name, [], program)]).toEqual([name, errno(1)]);
  });
  test("a call in no list answers ENOSYS: clone3, and the calls of later kernels", () => {
    const known = new Set(numbers.values());
    for (let number = 0; number < 1024; number += 1)
      if (!known.has(number)) expect(judge(shared, { arch: auditArches[arch], number })).toBe(errno(38));
    expect(known.has(435)).toBe(false);
  });
  test("a foreign architecture is killed", () => expect(judge(own, { arch: 1, number: 0 })).toBe(kill));
  test("clone makes processes and threads but no namespaces", () => {
    expect(ask("clone", [0x11])).toBe(allow);
    for (const flag of [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000])
      expect(ask("clone", [flag | 0x11])).toBe(errno(1));
  });
  test("a terminal can't be typed into, and no descriptor can be told to send signals", () => {
    for (const request of [0x5412, 0x541c, 0x8901, 0x8902]) expect(ask("ioctl", [0, request])).toBe(errno(1));
    for (const command of [8, 15]) expect(ask("fcntl", [0, command])).toBe(errno(1));
    expect(ask("ioctl", [0, 0x5401])).toBe(allow);
    expect(ask("fcntl", [0, 2])).toBe(allow);
  });
  test("sockets are of the local families; without a network namespace there are none but connected pairs", () => {
    for (const family of [1, 2, 10]) {
      expect(ask("socket", [family])).toBe(allow);
      expect(ask("socket", [family], shared)).toBe(errno(97));
    }
    for (const family of [16, 17, 30, 40]) {
      expect(ask("socket", [family])).toBe(errno(97));
      expect(ask("socketpair", [family, 1])).toBe(errno(1));
    }
    for (const type of [1, 5, 0x80801]) expect(ask("socketpair", [1, type], shared)).toBe(allow);
    for (const type of [2, 3, 0x80002]) expect(ask("socketpair", [1, type], shared)).toBe(errno(1));
  });
  test("limits, priorities and I/O classes are the caller's own to set, by 0 and by no pid", () => {
    for (const program of [own, shared]) {
      expect(ask("prlimit64", [0], program)).toBe(allow);
      expect(ask("setpriority", [0, 0], program)).toBe(allow);
      expect(ask("ioprio_set", [1, 0], program)).toBe(allow);
      for (const args of [[1], [4711], [-1]]) expect(ask("prlimit64", args, program)).toBe(errno(1));
      // Of a group, of a user, of another process.
      for (const args of [
        [1, 0],
        [2, 0],
        [0, 4711],
      ])
        expect(ask("setpriority", args, program)).toBe(errno(1));
      for (const args of [
        [2, 0],
        [3, 0],
        [1, 4711],
      ])
        expect(ask("ioprio_set", args, program)).toBe(errno(1));
    }
  });
  test.each(["sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr"])(
    "%s takes a pid in an own pid namespace only",
    (name) => {
      expect(ask(name, [4711])).toBe(allow);
      expect(ask(name, [4711], shared)).toBe(errno(1));
      expect(ask(name, [0], shared)).toBe(allow);
    },
  );
  test.each(["pidfd_open", "pidfd_send_signal"])("%s is for an own pid namespace", (name) => {
    expect(ask(name)).toBe(allow);
    expect(ask(name, [], shared)).toBe(errno(1));
  });
});

test("x32 calls are killed on x86_64, and an unknown machine has no filter", () => {
  const filter = assembleSeccomp("x64", "shared") ?? Buffer.alloc(0);
  expect(judge(filter, { arch: 0xc000003e, number: 0x40000000 })).toBe(kill);
  expect(assembleSeccomp("mips", "shared")).toBeNull();
});
