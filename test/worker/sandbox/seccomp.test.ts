import { describe, expect, test } from "vitest";
import { assembleSeccomp } from "../../../worker/sandbox/seccomp.ts";
import { syscallTables } from "../../../worker/sandbox/syscall-tables.ts";

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
    else if (code === 0x15) jump(accumulator === k);
    else if (code === 0x35) jump(accumulator >= k);
    else if (code === 0x45) jump((accumulator & k) !== 0);
    else throw new Error(`unknown instruction ${code}`);
  }
  throw new Error("the filter ended without an answer");
}

describe.each(["x64", "arm64"])("the filter for %s", (arch) => {
  const { auditArch, numbers } = syscallTables[arch] ?? { auditArch: 0, numbers: {} };
  const local = assembleSeccomp(arch, "local") ?? Buffer.alloc(0);
  const none = assembleSeccomp(arch, "none") ?? Buffer.alloc(0);
  const ask = (name: string, args: number[] = [], program = local) =>
    judge(program, { arch: auditArch, number: numbers[name] ?? 0, args });

  test.each([
    "ptrace",
    "mount",
    "unshare",
    "setns",
    "bpf",
    "io_uring_setup",
    "keyctl",
    "process_vm_readv",
    "memfd_secret",
  ])("%s is refused", (name) => expect(ask(name)).toBe(errno(1)));
  test("a foreign architecture is killed", () => expect(judge(local, { arch: 1, number: 0 })).toBe(kill));
  test("an ordinary call is allowed", () => expect(judge(local, { arch: auditArch, number: 3 })).toBe(allow));
  test("clone makes processes and threads but no namespaces, and clone3 is not there", () => {
    expect(ask("clone", [0x11])).toBe(allow);
    expect(ask("clone", [0x10000011])).toBe(errno(1));
    expect(ask("clone3")).toBe(errno(38));
  });
  test("a terminal can't be typed into", () => {
    expect(ask("ioctl", [0, 0x5412])).toBe(errno(1));
    expect(ask("ioctl", [0, 0x541c])).toBe(errno(1));
    expect(ask("ioctl", [0, 0x5401])).toBe(allow);
  });
  test("sockets are of the local families, or none at all", () => {
    for (const family of [1, 2, 10]) {
      expect(ask("socket", [family])).toBe(allow);
      expect(ask("socket", [family], none)).toBe(errno(97));
    }
    for (const family of [16, 17, 40]) expect(ask("socket", [family])).toBe(errno(97));
  });
});

test("x32 calls are killed on x86_64, and an unknown machine has no filter", () => {
  expect(judge(assembleSeccomp("x64", "none") ?? Buffer.alloc(0), { arch: 0xc000003e, number: 0x40000000 })).toBe(kill);
  expect(assembleSeccomp("mips", "none")).toBeNull();
});
