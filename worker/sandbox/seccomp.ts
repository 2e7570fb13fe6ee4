import { allowedCalls, judgedCalls, refusedCalls, type Syscall } from "./allowed-syscalls.ts";

/** `namespaces`: the sandbox has its own pid and network namespaces. `shared`: it shares both with the machine. */
export type Surroundings = "namespaces" | "shared";

/** A condition on a call's argument, which must be one of `only`, none of `except`, or have none of `noBits`. */
export type Condition = { argument: 0 | 1; errno?: number } & (
  | { only: readonly number[] }
  | { except: readonly number[] }
  | { noBits: number }
);

/** A call's conditions, all of which must hold. `EPERM` refuses the call whatever its arguments. */
export type CallRule = { number: number; conditions: readonly Condition[] | "EPERM" };

const errnoOf = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 } as const;
const returnAllow = 0x7fff0000;
const returnKill = 0x80000000;
const returnErrno = (code: number) => 0x00050000 | code;

/** Classic BPF (linux/bpf_common.h): load a word at an offset, jump, compare, return. */
const op = { load: 0x20, jump: 0x05, jumpEqual: 0x15, jumpNotBelow: 0x35, jumpAnyBit: 0x45, give: 0x06 } as const;
/** Offsets in `struct seccomp_data`; the low words of the arguments on a little-endian machine. */
const at = { number: 0, arch: 4, arguments: [16, 24] } as const;
const farthestJump = 255;

const x32Bit = 0x40000000;
const auditArches: Record<string, number> = { x64: 0xc000003e, arm64: 0xc00000b7 };
/** Every CLONE_NEW* flag except CLONE_NEWTIME, which needs clone3. */
const cloneNamespaceFlags = 0x7e020000;
const families = { unix: 1, inet: 2, inet6: 10 } as const;
/** TIOCSTI and TIOCLINUX type into a terminal; FIOSETOWN and SIOCSPGRP send signals to any process. */
const refusedControls = [0x5412, 0x541c, 0x8901, 0x8902];
/** F_SETOWN and F_SETOWN_EX send the same signals by fcntl. */
const refusedFileCommands = [8, 15];
/** PR_SCHED_CORE shares a core's cookie with another process. */
const refusedProcessControls = [62];
/** SOCK_STREAM and SOCK_SEQPACKET, with SOCK_NONBLOCK and SOCK_CLOEXEC. A datagram socket of a pair could send elsewhere. */
const connectedTypes = [1, 5].flatMap((type) => [0, 0x800, 0x80000, 0x80800].map((flags) => type | flags));

type Instruction = [code: number, jumpTrue: number, jumpFalse: number, k: number];

/**
 * Returns an allow-list filter as the bytes of a `struct sock_filter[]`; null for an architecture without a table. A known
 * call that isn't allowed fails with EPERM, an unknown one with ENOSYS; a process of a foreign ABI (32-bit, x32) is killed.
 */
export function assembleSeccomp(arch: string, surroundings: Surroundings): Buffer | null {
  const auditArch = auditArches[arch];
  if (auditArch === undefined || (arch !== "x64" && arch !== "arm64")) return null;
  return assembleFilter(auditArch, listRules(arch, surroundings));
}

/** Pid 1 and the process that loaded the author's code: by pid, as a process group (-2), and among all processes (-1). */
const firstProcesses = [1, 2, 0xffffffff, 0xfffffffe];
/** Calls that act on another process by its pid, and are not refused to all sandboxes. */
const reachingCalls = [
  ...["kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_open"],
  ...["sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr"],
];

/**
 * Returns a second filter for the author's code in a warm sandbox, which then can't signal or schedule the first two
 * processes. Their pids are always 1 and 2, so a filter can name them. A run may still act on its own children.
 */
export function assembleGuard(arch: string): Buffer | null {
  const auditArch = auditArches[arch];
  if (auditArch === undefined || (arch !== "x64" && arch !== "arm64")) return null;
  const calls = [...allowedCalls.flatMap((group) => group.calls), ...judgedCalls];
  const rules = calls.flatMap((call): CallRule[] => {
    const number = call[arch];
    if (number === null) return [];
    if (call.name === "pidfd_send_signal") return [{ number, conditions: "EPERM" }];
    if (!reachingCalls.includes(call.name)) return [];
    return [{ number, conditions: [{ argument: 0, except: firstProcesses }] }];
  });
  return assembleFilter(auditArch, rules, returnAllow);
}

function listRules(arch: "x64" | "arm64", surroundings: Surroundings): CallRule[] {
  const conditions = listConditions(surroundings);
  const ruleOf = (call: Syscall, rule: CallRule["conditions"]): CallRule[] => {
    const number = call[arch];
    return number === null ? [] : [{ number, conditions: rule }];
  };
  return [
    ...allowedCalls.flatMap(({ calls }) => calls.flatMap((call) => ruleOf(call, []))),
    ...judgedCalls.flatMap((call) => ruleOf(call, conditions[call.name] ?? "EPERM")),
    ...refusedCalls.flatMap(({ calls }) => calls.flatMap((call) => ruleOf(call, "EPERM"))),
  ];
}

/**
 * Returns the conditions by call. For limits, priorities and schedulers a filter doesn't know the caller's pid, so only 0,
 * which means the caller itself, is allowed. In a pid namespace of its own, a sandbox may schedule threads by their ids, as
 * pthread_setaffinity_np does.
 */
function listConditions(surroundings: Surroundings): Record<string, readonly Condition[]> {
  const isShared = surroundings === "shared";
  const self: Condition = { argument: 0, only: [0] };
  const schedule = isShared ? [self] : [];
  return {
    clone: [{ argument: 0, noBits: cloneNamespaceFlags }],
    ioctl: [{ argument: 1, except: refusedControls }],
    fcntl: [{ argument: 1, except: refusedFileCommands }],
    prctl: [{ argument: 0, except: refusedProcessControls }],
    socket: [{ argument: 0, only: isShared ? [] : Object.values(families), errno: errnoOf.EAFNOSUPPORT }],
    socketpair: [
      { argument: 0, only: [families.unix] },
      ...(isShared ? [{ argument: 1, only: connectedTypes } as const] : []),
    ],
    get_robust_list: [self],
    prlimit64: [self],
    // PRIO_PROCESS is 0, IOPRIO_WHO_PROCESS is 1.
    setpriority: [self, { argument: 1, only: [0] }],
    ioprio_set: [
      { argument: 0, only: [1] },
      { argument: 1, only: [0] },
    ],
    sched_setaffinity: schedule,
    sched_setscheduler: schedule,
    sched_setparam: schedule,
    sched_setattr: schedule,
    ...(isShared ? {} : { pidfd_open: [], pidfd_send_signal: [] }),
  };
}

/** Returns a filter that judges calls by their rules. A call without a rule gets `otherwise`, by default ENOSYS. */
export function assembleFilter(
  auditArch: number,
  rules: readonly CallRule[],
  otherwise = returnErrno(errnoOf.ENOSYS),
): Buffer {
  return encode([
    [op.load, 0, 0, at.arch],
    [op.jumpEqual, 1, 0, auditArch],
    [op.give, 0, 0, returnKill],
    [op.load, 0, 0, at.number],
    [op.jumpNotBelow, 0, 1, x32Bit],
    [op.give, 0, 0, returnKill],
    ...search(listRanges(rules, otherwise)),
  ]);
}

/** The same instructions judge all calls from `first` up to the next range. */
type Range = { first: number; judge: Instruction[] };

/** Neighbouring calls with the same instructions are one range, so that the search is shorter. */
function listRanges(rules: readonly CallRule[], otherwise: number): Range[] {
  const byNumber = new Map(rules.map(({ number, conditions }) => [number, conditions]));
  const last = Math.max(...byNumber.keys());
  const ranges: Range[] = [];
  for (let number = 0; number <= last + 1; number += 1) {
    const judge = judgeCall(byNumber.get(number), otherwise);
    if (JSON.stringify(ranges.at(-1)?.judge) !== JSON.stringify(judge)) ranges.push({ first: number, judge });
  }
  return ranges;
}

function judgeCall(conditions: CallRule["conditions"] | undefined, otherwise: number): Instruction[] {
  if (conditions === undefined) return [[op.give, 0, 0, otherwise]];
  if (conditions === "EPERM") return [[op.give, 0, 0, returnErrno(errnoOf.EPERM)]];
  return [...conditions.flatMap(checkArgument), [op.give, 0, 0, returnAllow]];
}

/** When the condition holds, execution continues after these instructions. */
function checkArgument(condition: Condition): Instruction[] {
  const load: Instruction = [op.load, 0, 0, at.arguments[condition.argument]];
  const refuse: Instruction = [op.give, 0, 0, returnErrno(condition.errno ?? errnoOf.EPERM)];
  if ("noBits" in condition) return [load, [op.jumpAnyBit, 0, 1, condition.noBits], refuse];
  const isList = "only" in condition;
  const values = isList ? condition.only : condition.except;
  // A match skips the remaining tests and one more instruction: the refusal (`only`), or the jump over it (`except`).
  const tests = values.map((value, index): Instruction => [op.jumpEqual, values.length - index, 0, value]);
  return isList ? [load, ...tests, refuse] : [load, ...tests, [op.jump, 0, 0, 1], refuse];
}

/** A balanced search, as in libseccomp: some seven comparisons for any call. */
function search(ranges: readonly Range[]): Instruction[] {
  const [only] = ranges;
  if (ranges.length <= 1) return only?.judge ?? [];
  const middle = Math.ceil(ranges.length / 2);
  const below = search(ranges.slice(0, middle));
  const above = search(ranges.slice(middle));
  const first = ranges[middle]?.first ?? 0;
  // A conditional jump is 8 bits wide.
  if (below.length <= farthestJump) return [[op.jumpNotBelow, below.length, 0, first], ...below, ...above];
  return [[op.jumpNotBelow, 0, 1, first], [op.jump, 0, 0, below.length], ...below, ...above];
}

function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, jumpTrue, jumpFalse, k]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(jumpTrue, index * 8 + 2);
    bytes.writeUInt8(jumpFalse, index * 8 + 3);
    bytes.writeUInt32LE(k >>> 0, index * 8 + 4);
  }
  return bytes;
}
