import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { ArchiveFault } from "../../../worker/environments/archive-fault.ts";
import { type ArchiveLimits, readArchive } from "../../../worker/environments/read-archive.ts";
import { unpackArchive } from "../../../worker/environments/unpack-archive.ts";
import { paxHeader, tarEntry, tarOf } from "./make-archive.ts";

const limits: ArchiveLimits = { entries: 1_000, bytes: 1 << 20, path_bytes: 1_024, names_bytes: 1 << 16, depth: 16 };
const folder = mkdtempSync(join(tmpdir(), "runfleet-archive-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** In pieces of `size` bytes, as a pipe may give them. */
function* inPieces(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Path → text, or null for a directory. */
async function read(
  bytes: Uint8Array,
  { piece = 1 << 16, given = limits } = {},
): Promise<Record<string, string | null>> {
  const found: Record<string, string | null> = {};
  let path = "";
  for await (const item of readArchive(inPieces(bytes, piece), given)) {
    if (item.type === "data") found[path] += Buffer.from(item.bytes).toString("latin1");
    else found[(path = item.path)] = item.type === "file" ? "" : null;
  }
  return found;
}

const faultOf = (bytes: Uint8Array, given = limits): Promise<unknown> =>
  read(bytes, { given }).then(
    () => "none",
    (error: unknown) => (error instanceof ArchiveFault ? error.code : error),
  );

const file = (name: string, body = "x"): Buffer => tarEntry({ name, body });
const directory = (name: string): Buffer => tarEntry({ name, type: "5", mode: "0000755" });

describe("an archive of packages", () => {
  test("is read whatever the pieces that it comes in, long and foreign names included", async () => {
    const long = `${"d".repeat(90)}/${"f".repeat(120)}`;
    const archive = tarOf(
      directory("greeter/"),
      file("greeter/__init__.py", "name = 1"),
      file("greeter/empty", ""),
      directory("d".repeat(90)),
      Buffer.concat([paxHeader({ path: long }), file("short", "y".repeat(700))]),
      Buffer.concat([paxHeader({ path: "größe-💚" }), file("short")]),
      tarEntry({ name: "named", prefix: "greeter", body: "prefix" }),
    );
    const expected = {
      greeter: null,
      "greeter/__init__.py": "name = 1",
      "greeter/empty": "",
      ["d".repeat(90)]: null,
      [long]: "y".repeat(700),
      "größe-💚": "x",
      "greeter/named": "prefix",
    };
    for (const piece of [1, 3, 511, 512, 513, 1 << 16]) expect(await read(archive, { piece })).toEqual(expected);
  });

  test("of any names and sizes, written by Python's tarfile, is read as it was written", async () => {
    const name = fc.stringMatching(/^[a-zA-Zäß日.][a-zA-Z0-9äß日_-]{0,120}$/).filter((part) => !/^\.+$/.test(part));
    const trees = fc.array(fc.dictionary(name, fc.nat(3_000), { maxKeys: 6 }), { minLength: 8, maxLength: 8 });
    const [sample = []] = fc.sample(trees, { numRuns: 1, seed: 7 });
    for (const tree of sample) {
      const archive = execFileSync("python3", ["-I", "-S", "-c", writeTree, JSON.stringify(tree)]);
      const expected = Object.entries(tree).map(([path, size]) => [path, "z".repeat(size)]);
      expect(await read(archive, { piece: 777 })).toEqual(Object.fromEntries(expected));
    }
  });

  const pad = Buffer.alloc(512, 1);
  const hostile: [title: string, archive: Uint8Array, code: string][] = [
    ["a symbolic link out", tarOf(tarEntry({ name: "a", type: "2", linkname: "/etc/passwd" })), "kind"],
    ["a symbolic link inside", tarOf(file("b"), tarEntry({ name: "a", type: "2", linkname: "b" })), "kind"],
    ["a hard link", tarOf(file("b"), tarEntry({ name: "a", type: "1", linkname: "b" })), "kind"],
    ["a file that names another one", tarOf(tarEntry({ name: "a", linkname: "/etc/passwd" })), "kind"],
    ["a character device", tarOf(tarEntry({ name: "a", type: "3" })), "kind"],
    ["a block device", tarOf(tarEntry({ name: "a", type: "4" })), "kind"],
    ["a fifo", tarOf(tarEntry({ name: "a", type: "6" })), "kind"],
    ["a file of the old kind, whose type is NUL", tarOf(tarEntry({ name: "a", type: "\0" })), "kind"],
    ["GNU's sparse file", tarOf(tarEntry({ name: "a", type: "S" })), "kind"],
    ["GNU's long name", tarOf(tarEntry({ name: "././@LongLink", type: "L", body: "a\0" }), file("a")), "kind"],
    ["GNU's long link", tarOf(tarEntry({ name: "././@LongLink", type: "K", body: "a\0" }), file("a")), "kind"],
    ["a global pax header", tarOf(paxHeader({ path: "a" }, "g"), file("b")), "kind"],
    ["a pax header of a size", tarOf(paxHeader({ size: "9" }), file("a")), "header"],
    ["a pax header of a link", tarOf(paxHeader({ linkpath: "/etc" }), file("a")), "header"],
    ["a pax header of a sparse file", tarOf(paxHeader({ "GNU.sparse.name": "a" }), file("a")), "header"],
    ["a pax header with two paths", tarOf(paxHeader({ path: "a", "path ": "b" }), file("a")), "header"],
    [
      "a pax header that lies about its length",
      tarOf(tarEntry({ name: "p", type: "x", body: "9 path=a\nbb" }), file("a")),
      "header",
    ],
    ["two pax headers", tarOf(paxHeader({ path: "a" }), paxHeader({ path: "b" }), file("c")), "header"],
    ["a pax header at the end", tarOf(paxHeader({ path: "a" })), "header"],
    ["a pax header without an end", tarOf(tarEntry({ name: "p", type: "x", size: "77777777777" })), "limit"],
    ["an absolute name", tarOf(file("/etc/passwd")), "name"],
    ["an absolute name by pax", tarOf(paxHeader({ path: "/etc/passwd" }), file("a")), "name"],
    ["a name that leads out", tarOf(file("../a")), "name"],
    ["a name that leads out of a directory", tarOf(directory("a"), file("a/../../b")), "name"],
    ["the directory itself", tarOf(directory("./")), "name"],
    ["a name with a dot", tarOf(file("./a")), "name"],
    ["a name with an empty part", tarOf(directory("a"), file("a//b")), "name"],
    ["a file that ends with a slash", tarOf(file("a/")), "name"],
    ["no name", tarOf(file("")), "name"],
    ["a name with a NUL inside", tarOf(tarEntry({ name: "a\0b" })), "name"],
    ["a pax name with a NUL inside", tarOf(paxHeader({ path: "a\0b" }), file("a")), "name"],
    ["a name with a line end", tarOf(file("a\nb")), "name"],
    ["a name that is not UTF-8", tarOf(tarEntry({ name: Buffer.from([0x61, 0xff]) })), "name"],
    ["a part of more than 255 bytes", tarOf(paxHeader({ path: "é".repeat(128) }), file("a")), "name"],
    ["a name that stands twice", tarOf(file("a"), file("a")), "duplicate"],
    ["a directory that stands twice", tarOf(directory("a"), directory("a/")), "duplicate"],
    ["a file in the place of a directory", tarOf(directory("a"), file("a")), "duplicate"],
    ["a file below a file", tarOf(file("a"), file("a/b")), "parent"],
    ["a file before its directory", tarOf(file("a/b"), directory("a")), "parent"],
    ["a setuid bit", tarOf(tarEntry({ name: "a", mode: "0004755" })), "mode"],
    ["a setgid bit", tarOf(tarEntry({ name: "a", mode: "0002755" })), "mode"],
    ["a sticky bit", tarOf(tarEntry({ name: "a", type: "5", mode: "0001755" })), "mode"],
    ["a mode with the kind of a file", tarOf(tarEntry({ name: "a", mode: "0120777" })), "mode"],
    ["a huge size", tarOf(tarEntry({ name: "a", size: "77777777777" })), "bytes"],
    ["a size in base 256", tarOf(tarEntry({ name: "a", size: "\x80\0\0\0\0\0\0\0\0\0\x01" })), "header"],
    ["a negative size", tarOf(tarEntry({ name: "a", size: "-0000000001" })), "header"],
    ["a size that is no number", tarOf(tarEntry({ name: "a", size: "0x10" })), "header"],
    ["a directory with bytes", tarOf(tarEntry({ name: "a", type: "5", body: "x" })), "header"],
    ["a wrong checksum", tarOf(tarEntry({ name: "a", checksum: "000001\0 " })), "checksum"],
    ["no magic", tarOf(tarEntry({ name: "a", magic: "\0\0\0\0\0\0\0\0" })), "header"],
    ["GNU's magic", tarOf(tarEntry({ name: "a", magic: "ustar  \0" })), "header"],
    ["no end", file("a"), "truncated"],
    ["half of an end", Buffer.concat([file("a"), Buffer.alloc(512)]), "truncated"],
    ["an entry behind one zero block", Buffer.concat([Buffer.alloc(512), tarOf(file("a"))]), "header"],
    ["a body that is cut", tarOf(file("a", "x".repeat(600))).subarray(0, 900), "truncated"],
    ["a header that is cut", tarOf(file("a")).subarray(0, 100), "truncated"],
    ["nothing at all", Buffer.alloc(0), "truncated"],
    ["padding that isn't zero", tarOf(Buffer.concat([file("a").subarray(0, 512), pad])), "padding"],
    ["bytes behind the end", Buffer.concat([tarOf(file("a")), file("b")]), "trailing"],
    ["zeros without end", Buffer.concat([tarOf(file("a")), Buffer.alloc(20_000)]), "trailing"],
    ["too deep a path", tarOf(...deep(17)), "limit"],
    ["too long a name", tarOf(paxHeader({ path: "a/".repeat(600) }), file("a")), "limit"],
  ];
  test.each(hostile)("with %s is refused", async (_, archive, code) => {
    expect(await faultOf(archive)).toBe(code);
  });

  test("is refused at the first entry, byte or name beyond its limits, and not read any further", async () => {
    let made = 0;
    function* endless(): Generator<Uint8Array> {
      for (; made < 1_000_000; made++) yield file(`f${made}`, "");
    }
    const reading = async () => {
      for await (const _ of readArchive(endless(), limits));
    };
    await expect(reading()).rejects.toMatchObject({ code: "limit" });
    expect(made).toBeLessThanOrEqual(limits.entries + 1);
    const two = tarOf(file("a", "x".repeat(600)), file("b", "x".repeat(600)));
    expect(await faultOf(two, { ...limits, bytes: 1_200 })).toBe("none");
    expect(await faultOf(two, { ...limits, bytes: 1_199 })).toBe("bytes");
    expect(await faultOf(tarOf(file("abc"), file("abcd")), { ...limits, names_bytes: 6 })).toBe("limit");
  });

  test("of any bytes ends with an ArchiveFault or is a sound tree, never with another error", async () => {
    const sound = tarOf(directory("a"), file("a/b", "x".repeat(700)), paxHeader({ path: "c" }), file("d"));
    const change = fc.record({ at: fc.nat(sound.length - 1), byte: fc.nat(255) });
    const mutated = fc.array(change, { minLength: 1, maxLength: 4 }).map((changes) => {
      const bytes = Buffer.from(sound);
      for (const { at, byte } of changes) bytes[at] = byte;
      return bytes;
    });
    const any = fc.oneof(
      mutated,
      fc.uint8Array({ maxLength: 2_000 }),
      fc.nat(sound.length).map((end) => sound.subarray(0, end)),
    );
    await fc.assert(
      fc.asyncProperty(any, async (bytes) => {
        const found = await read(bytes).catch((error: unknown) => {
          if (error instanceof ArchiveFault) return {};
          throw error;
        });
        for (const path of Object.keys(found)) expect(join("/safe", path)).toBe(`/safe/${path}`);
      }),
      { numRuns: 500 },
    );
  });
});

describe("unpacking", () => {
  test("leaves files that nobody can write, their right to run, and directories that everybody can read", async () => {
    const target = join(folder, "sound");
    const archive = tarOf(
      directory("bin"),
      tarEntry({ name: "bin/tool", mode: "0000755", body: "#!" }),
      file("note", "y"),
    );
    const before = process.umask(0o077);
    const bytes = await unpackArchive(asStream(archive), target, limits).finally(() => process.umask(before));
    expect(bytes).toBe(4096 * 6);
    expect(readFileSync(join(target, "note"), "utf8")).toBe("y");
    const modes = ["", "bin", "bin/tool", "note"].map((path) =>
      (statSync(join(target, path)).mode & 0o777).toString(8),
    );
    expect(modes).toEqual(["755", "755", "555", "444"]);
    // So that what cleans /var/tmp leaves them.
    const isKept = (statSync(join(target, "note")).mode & 0o1000) !== 0;
    expect(isKept).toBe(process.platform === "linux");
  });

  test("never goes into a folder that stands already", async () => {
    await expect(unpackArchive(asStream(tarOf(file("a"))), folder, limits)).rejects.toMatchObject({ code: "EEXIST" });
    expect(readdirSync(folder)).not.toContain("a");
  });
});

async function* asStream(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield* inPieces(bytes, 1_000);
}

function deep(parts: number): Buffer[] {
  return Array.from({ length: parts }, (_, index) => directory(Array.from({ length: index + 1 }, () => "d").join("/")));
}

const writeTree = `
import io, json, sys, tarfile
with tarfile.open(fileobj=sys.stdout.buffer, mode="w|", format=tarfile.PAX_FORMAT) as archive:
    for name, size in json.loads(sys.argv[1]).items():
        entry = tarfile.TarInfo(name)
        entry.size = size
        archive.addfile(entry, io.BytesIO(b"z" * size))
`;
