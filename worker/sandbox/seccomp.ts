import { syscallTables, type SyscallTable } from "./syscall-tables.ts";

const errno = { EPERM: 1, ENOSYS: 38, EAFNOSUPPORT: 97 } as const;
const returnAllow = 0x7fff0000;
const returnKill = 0x80000000;
const returnErrno = (code: number) => 0x00050000 | code;

/** Classic BPF (linux/bpf_common.h): load a word at an offset, compare, return. */
const op = { load: 0x20, jumpEqual: 0x15, jumpNotBelow: 0x35, jumpAnyBit: 0x45, give: 0x06 } as const;
/** Offsets in `struct seccomp_data`; the low words of the arguments on a little-endian machine. */
const at = { number: 0, arch: 4, arg0: 16, arg1: 24 } as const;

const x32Bit = 0x40000000;
/** CLONE_NEWTIME aside (it needs clone3), every CLONE_NEW* flag. */
const cloneNamespaceFlags = 0x7e020000;
const terminalInjection = [0x5412 /* TIOCSTI */, 0x541c /* TIOCLINUX */] as const;
const socketFamilies = { local: [1 /* UNIX */, 2 /* INET */, 10 /* INET6 */], none: [] } as const;
const special = new Set(["clone", "clone3", "ioctl", "socket"]);

type Instruction = [code: number, jumpTrue: number, jumpFalse: number, k: number];

/**
 * A deny-list filter as the bytes of a `struct sock_filter[]`, or null for an architecture that has no table.
 * Denied calls fail with EPERM; a foreign ABI (32-bit, x32) is killed. `sockets: "local"` leaves unix and inet families
 * to a network namespace to contain; `"none"` leaves only `socketpair`. clone3 answers ENOSYS, so that libc falls back to
 * clone, whose flags a filter can read.
 */
export function assembleSeccomp(arch: string, sockets: keyof typeof socketFamilies): Buffer | null {
  const table = syscallTables[arch];
  return table ? encode(buildProgram(table, socketFamilies[sockets])) : null;
}

function buildProgram({ auditArch, numbers }: SyscallTable, families: readonly number[]): Instruction[] {
  const program: Instruction[] = [
    [op.load, 0, 0, at.arch],
    [op.jumpEqual, 1, 0, auditArch],
    [op.give, 0, 0, returnKill],
    [op.load, 0, 0, at.number],
    [op.jumpNotBelow, 0, 1, x32Bit],
    [op.give, 0, 0, returnKill],
  ];
  const onCall = (name: string, block: Instruction[]) => {
    const number = numbers[name];
    if (number !== undefined) program.push([op.jumpEqual, 0, block.length, number], ...block);
  };
  for (const name of Object.keys(numbers))
    if (!special.has(name)) onCall(name, [[op.give, 0, 0, returnErrno(errno.EPERM)]]);
  onCall("clone3", [[op.give, 0, 0, returnErrno(errno.ENOSYS)]]);
  onCall("clone", [
    [op.load, 0, 0, at.arg0],
    [op.jumpAnyBit, 0, 1, cloneNamespaceFlags],
    [op.give, 0, 0, returnErrno(errno.EPERM)],
    [op.give, 0, 0, returnAllow],
  ]);
  onCall("ioctl", matchArgument(at.arg1, terminalInjection, returnErrno(errno.EPERM), returnAllow));
  onCall("socket", matchArgument(at.arg0, families, returnAllow, returnErrno(errno.EAFNOSUPPORT)));
  program.push([op.give, 0, 0, returnAllow]);
  return program;
}

function matchArgument(offset: number, values: readonly number[], match: number, otherwise: number): Instruction[] {
  const tests = values.map((value, index): Instruction => [op.jumpEqual, values.length - index, 0, value]);
  return [[op.load, 0, 0, offset], ...tests, [op.give, 0, 0, otherwise], [op.give, 0, 0, match]];
}

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
