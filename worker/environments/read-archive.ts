import { parsePaxPath, readHeader } from "./archive-header.ts";
import { ArchiveFault } from "./archive-fault.ts";

/** An archive's limits. `path_bytes` and `depth` are of one name, `names_bytes` of all names together. */
export type ArchiveLimits = {
  entries: number;
  bytes: number;
  path_bytes: number;
  names_bytes: number;
  depth: number;
};

/** A `file` is followed by `data` items with its bytes, `size` in all. */
export type ArchiveItem =
  | { type: "directory"; path: string }
  | { type: "file"; path: string; size: number; executable: boolean }
  | { type: "data"; bytes: Uint8Array };

const blockBytes = 512;
/** Python's tarfile and tar fill the last record, of 20 blocks, with zeros. */
const mostPadding = 20 * blockBytes;
const mostPaxBytes = 16 * 1024;

/**
 * Reads an untrusted POSIX tar archive (ustar with pax `path` records, IEEE 1003.1 "pax"). An archive may have regular files
 * and directories only: no links, devices, sparse files or GNU extensions, no setuid bits. Each name is a relative path
 * without `.` and `..`, is there once, and comes after its directory. Throws ArchiveFault at the first byte that breaks
 * these rules, and when the archive exceeds a limit. Errors of `chunks` are thrown on.
 */
export async function* readArchive(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  limits: ArchiveLimits,
): AsyncGenerator<ArchiveItem> {
  const source = openSource(chunks);
  const names = createNames(limits);
  let left = limits.bytes;
  try {
    for (;;) {
      const entry = await readEntry(source, limits);
      if (entry === null) return await source.expectZeros(mostPadding);
      const { path, size, executable, directory } = entry;
      names.add(path, directory);
      left -= size;
      if (left < 0) throw new ArchiveFault("bytes", `the files have more than ${limits.bytes} bytes`);
      yield directory ? { type: "directory", path } : { type: "file", path, size, executable };
      yield* readBody(source, size);
    }
  } finally {
    await source.close();
  }
}

type Source = ReturnType<typeof openSource>;
type Entry = { path: string; size: number; executable: boolean; directory: boolean };

async function* readBody(source: Source, size: number): AsyncGenerator<ArchiveItem> {
  for (let missing = size; missing > 0;) {
    const bytes = await source.upTo(missing);
    missing -= bytes.length;
    yield { type: "data", bytes };
  }
  await source.zeros(paddingOf(size));
}

const paddingOf = (size: number): number => (blockBytes - (size % blockBytes)) % blockBytes;

/** Returns the next entry, its pax header applied; null at the archive's end. */
async function readEntry(source: Source, { path_bytes }: ArchiveLimits): Promise<Entry | null> {
  const first = readHeader(await source.exactly(blockBytes));
  if (first === null) {
    if (readHeader(await source.exactly(blockBytes)) !== null) throw new ArchiveFault("header", "one zero block alone");
    return null;
  }
  if (first.kind !== "pax") return toEntry(first.name, first, path_bytes);
  if (first.size > mostPaxBytes) throw new ArchiveFault("limit", "a pax header is too long");
  const path = parsePaxPath(await source.exactly(first.size));
  await source.zeros(paddingOf(first.size));
  const second = readHeader(await source.exactly(blockBytes));
  if (second === null || second.kind === "pax") throw new ArchiveFault("header", "a pax header without an entry");
  return toEntry(path, second, path_bytes);
}

type Header = { kind: "file" | "directory"; size: number; executable: boolean };

function toEntry(name: Uint8Array, { kind, size, executable }: Header, pathBytes: number): Entry {
  if (name.length > pathBytes) throw new ArchiveFault("limit", `a name has more than ${pathBytes} bytes`);
  const directory = kind === "directory";
  if (directory && size !== 0) throw new ArchiveFault("header", "a directory with bytes");
  return { path: decodePath(name, directory), size, executable, directory };
}

/** A directory's name may end with one slash. */
function decodePath(name: Uint8Array, directory: boolean): string {
  let path: string;
  try {
    path = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(name);
  } catch {
    throw new ArchiveFault("name", "a name is not UTF-8");
  }
  if (directory && path.endsWith("/")) path = path.slice(0, -1);
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  if (/[\u0000-\u001f\u007f]/.test(path)) throw new ArchiveFault("name", "a name has control characters");
  if (path.split("/").some(isOddPart))
    throw new ArchiveFault("name", `${JSON.stringify(path.slice(0, 200))} is no relative path inside the archive`);
  return path;
}

const isOddPart = (part: string): boolean =>
  part === "" || part === "." || part === ".." || Buffer.byteLength(part) > 255;

/** Refuses a name that is there twice or is in no directory of the archive, and too many names. */
function createNames({ entries, names_bytes, depth }: ArchiveLimits) {
  const seen = new Set<string>();
  const directories = new Set<string>([""]);
  let bytes = 0;
  return {
    add(path: string, directory: boolean): void {
      if (seen.size >= entries) throw new ArchiveFault("limit", `more than ${entries} entries`);
      bytes += path.length;
      if (bytes > names_bytes) throw new ArchiveFault("limit", `the names have more than ${names_bytes} characters`);
      if (path.split("/").length > depth) throw new ArchiveFault("limit", `a path is deeper than ${depth}`);
      const shown = JSON.stringify(path.slice(0, 200));
      if (seen.has(path)) throw new ArchiveFault("duplicate", `${shown} stands twice`);
      const parent = path.slice(0, Math.max(0, path.lastIndexOf("/")));
      if (!directories.has(parent)) throw new ArchiveFault("parent", `${shown} comes before its directory`);
      seen.add(path);
      if (directory) directories.add(path);
    },
  };
}

/** Reads the bytes of `chunks` in portions of any size. */
function openSource(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
  const iterator = Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
  let rest: Uint8Array = new Uint8Array();

  /** Returns false at the end. */
  async function fill(): Promise<boolean> {
    while (rest.length === 0) {
      const next = await iterator.next();
      if (next.done) return false;
      rest = next.value;
    }
    return true;
  }
  /** Returns at least one byte and at most `most`. */
  async function upTo(most: number): Promise<Uint8Array> {
    if (!(await fill())) throw new ArchiveFault("truncated", "the archive ends too early");
    const taken = rest.subarray(0, most);
    rest = rest.subarray(most);
    return taken;
  }
  async function exactly(length: number): Promise<Uint8Array> {
    const whole = new Uint8Array(length);
    for (let have = 0; have < length;) {
      const part = await upTo(length - have);
      whole.set(part, have);
      have += part.length;
    }
    return whole;
  }
  return {
    upTo,
    exactly,
    async zeros(length: number): Promise<void> {
      if ((await exactly(length)).some((byte) => byte !== 0)) throw new ArchiveFault("padding", "padding is not zero");
    },
    /** Reads what follows the archive's end, which must be at most `most` zeros. */
    async expectZeros(most: number): Promise<void> {
      for (let left = most; await fill();) {
        left -= rest.length;
        const odd = left < 0 || rest.some((byte) => byte !== 0);
        rest = new Uint8Array();
        if (odd) throw new ArchiveFault("trailing", "bytes after the archive's end");
      }
    },
    async close(): Promise<void> {
      await iterator.return?.();
    },
  };
}
