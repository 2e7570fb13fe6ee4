import { constants } from "node:os";

type Numbers = Record<"byPid" | "byWhich" | "refused", number[]> & { auditArch: number; fcntl: number; ioctl: number };

/** Syscall numbers of <asm/unistd.h>, by Node's `process.arch`. */
const tables: Record<string, Numbers> = {
  x64: {
    auditArch: 0xc000003e,
    // kill, tkill, tgkill, rt_sigqueueinfo, rt_tgsigqueueinfo, pidfd_open,
    // prlimit64, sched_setparam, sched_setscheduler, sched_setaffinity, sched_setattr
    byPid: [62, 200, 234, 129, 297, 434, 302, 142, 144, 203, 314],
    // setpriority, ioprio_set
    byWhich: [141, 251],
    // pidfd_send_signal, process_madvise, process_mrelease
    refused: [424, 440, 448],
    fcntl: 72,
    ioctl: 16,
  },
  arm64: {
    auditArch: 0xc00000b7,
    byPid: [129, 130, 131, 138, 240, 434, 261, 118, 119, 122, 274],
    byWhich: [140, 30],
    refused: [424, 440, 448],
    fcntl: 25,
    ioctl: 29,
  },
};

/** Pid 1 and the process that loaded the author's code, each alone, as a group, and among all. */
const ours = [1, 2, 0xffffffff, 0xfffffffe];
/** `which` of setpriority(2) and ioprio_set(2) for one process; a group or a user would take in the first two. */
const whichProcess = [0, 1];
/** Signals by way of a descriptor's owner: F_SETOWN, F_SETOWN_EX; FIOSETOWN, SIOCSPGRP. */
const setOwner = { fcntl: [8, 15], ioctl: [0x8901, 0x8902] };

const op = { load: 0x20, equal: 0x15, give: 0x06 } as const;
const at = { number: 0, arch: 4, arg0: 16, arg1: 24 } as const;
const allow = 0x7fff0000;
const kill = 0x80000000;
const refuse = 0x00050000 | constants.errno.EPERM;

type Instruction = [code: number, jumpTrue: number, jumpFalse: number, k: number];

/**
 * A second seccomp filter, for the author's code in a warm sandbox: nothing in there can signal the first two processes or
 * set their limits, priorities and scheduling. Their pids are always the same, so a filter can name them; what a run does to
 * its own children stays allowed. Null for an architecture that has no table.
 */
export function assembleGuardFilter(arch: string): Buffer | null {
  const table = tables[arch];
  if (!table) return null;
  const program: Instruction[] = [
    [op.load, 0, 0, at.arch],
    [op.equal, 1, 0, table.auditArch],
    [op.give, 0, 0, kill],
    [op.load, 0, 0, at.number],
  ];
  const on = (number: number, block: Instruction[]) => void program.push([op.equal, 0, block.length, number], ...block);
  for (const number of table.byPid) on(number, refuseWhere(at.arg0, ours));
  for (const [index, number] of table.byWhich.entries())
    on(number, [
      [op.load, 0, 0, at.arg0],
      [op.equal, 1, 0, whichProcess[index] ?? 0],
      [op.give, 0, 0, refuse],
      ...refuseWhere(at.arg1, ours),
    ]);
  for (const number of table.refused) on(number, [[op.give, 0, 0, refuse]]);
  on(table.fcntl, refuseWhere(at.arg1, setOwner.fcntl));
  on(table.ioctl, refuseWhere(at.arg1, setOwner.ioctl));
  program.push([op.give, 0, 0, allow]);
  return encode(program);
}

function refuseWhere(offset: number, values: readonly number[]): Instruction[] {
  const tests = values.map((value, index): Instruction => [op.equal, values.length - index, 0, value]);
  return [[op.load, 0, 0, offset], ...tests, [op.give, 0, 0, allow], [op.give, 0, 0, refuse]];
}

/** As `struct sock_filter[]` (linux/filter.h). */
function encode(program: Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, jumpTrue, jumpFalse, k]] of program.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(jumpTrue, index * 8 + 2);
    bytes.writeUInt8(jumpFalse, index * 8 + 3);
    bytes.writeUInt32LE(k >>> 0, index * 8 + 4);
  }
  return bytes;
}
