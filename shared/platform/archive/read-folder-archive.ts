import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { fileNameFault } from "../../domain/agent/file-faults.ts";

const MiB = 1024 * 1024;
/** `packed_bytes`: of the archive as it is sent. `bytes`: of its unpacked bytes, the archive's own among them. */
export const archiveLimits = { packed_bytes: 16 * MiB, bytes: 32 * MiB, entries: 10_000, depth: 32 } as const;
/** An entry may have a few headers: its own, and what pax and GNU say of it. */
const headersOfAnEntry = 4;
/** Of the fields in an archive's global header: as of any JSON. */
const fieldsBytes = 6 * MiB;
/** Of what a header says of the next entry. Its name has 255 bytes at most; the rest are attributes that nobody reads. */
const aboutBytes = 64 * 1024;

/** Why an archive can't be used. `isLarge`: it exceeds a limit of bytes. */
export class FolderArchiveFault extends Error {
  override name = "FolderArchiveFault";
  readonly isLarge: boolean;
  constructor(message: string, { isLarge = false } = {}) {
    super(message);
    this.isLarge = isLarge;
  }
}

const unzip = promisify(gunzip);
const blockBytes = 512;

/** `files`: path → text, or data URL. `fields`: what the archive's global header says beside them; null without it. */
export type FolderArchive = { files: Record<string, string>; fields: Buffer | null };

/**
 * Returns the files of a folder that was packed by tar and gzip. Archives of GNU tar, BSD tar, Python and
 * Node are read. Only regular files and directories may be in it: no links and no devices. No path leads out of the folder, is
 * there twice, or differs from another one only by case or by how its letters are composed. Throws FolderArchiveFault.
 */
export async function readFolderArchive(packed: Buffer): Promise<FolderArchive> {
  const tar = await unpack(packed);
  const files = new Map<string, Buffer>();
  const names = createNames();
  for (const { name, isDirectory, body } of entriesOf(tar)) {
    // What macOS adds for its own use.
    if (/(^|\/)\._[^/]*$/.test(name)) continue;
    names.add(name, isDirectory);
    if (!isDirectory) files.set(name, body);
  }
  return {
    files: Object.fromEntries([...files].map(([name, body]) => [name, toContent(body)])),
    fields: fieldsOf(tar),
  };
}

/** Returns the record `RUNFLEET.fields` of the global pax header that an archive may begin with. */
function fieldsOf(tar: Buffer): Buffer | null {
  if (tar[kindAt] !== "g".charCodeAt(0)) return null;
  const { size } = readHeader(tar.subarray(0, blockBytes));
  if (size > fieldsBytes)
    throw new FolderArchiveFault(`its global header has more than ${fieldsBytes} bytes`, { isLarge: true });
  return paxRecord(tar.subarray(blockBytes, blockBytes + size), "RUNFLEET.fields");
}

/** Where a header says the type of its entry. */
const kindAt = 156;

async function unpack(packed: Buffer): Promise<Buffer> {
  try {
    return await unzip(packed, { maxOutputLength: archiveLimits.bytes });
  } catch (error) {
    if (error instanceof RangeError)
      throw new FolderArchiveFault(`the archive has more than ${archiveLimits.bytes} bytes when it is unpacked`, {
        isLarge: true,
      });
    throw new FolderArchiveFault("the archive is not compressed by gzip, or it is cut");
  }
}

type Entry = { name: string; isDirectory: boolean; body: Buffer };

/** Types of entries that say the name of the next one: POSIX's and GNU's. */
const naming = {
  x: (body: Buffer) => paxRecord(body, "path"),
  L: (body: Buffer) => body.subarray(0, body.indexOf(0) < 0 ? body.length : body.indexOf(0)),
};

function* entriesOf(tar: Buffer): Generator<Entry> {
  let longName: Buffer | null = null;
  let [entries, headers] = [0, 0];
  for (let at = 0; ;) {
    const header = tar.subarray(at, at + blockBytes);
    if (header.every((byte) => byte === 0)) return;
    const { kind, size, name } = readHeader(header);
    const body = tar.subarray(at + blockBytes, at + blockBytes + size);
    if (body.length < size) throw new FolderArchiveFault("the archive is cut");
    headers += 1;
    checkCount(headers, headersOfAnEntry * archiveLimits.entries, "headers");
    at += blockBytes + Math.ceil(size / blockBytes) * blockBytes;
    if (kind === "x" || kind === "L") {
      if (size > aboutBytes) throw new FolderArchiveFault(`what it says of an entry has more than ${aboutBytes} bytes`);
      longName = naming[kind](body) ?? longName;
      continue;
    }
    // A comment for the whole archive, as git writes it.
    if (kind === "g") continue;
    entries += 1;
    checkCount(entries, archiveLimits.entries, "entries");
    const entry = toEntry(kind, longName ?? name, body);
    longName = null;
    if (entry) yield entry;
  }
}

function checkCount(count: number, most: number, what: string): void {
  if (count > most) throw new FolderArchiveFault(`the archive has more than ${most} ${what}`);
}

type Header = { kind: string; size: number; name: Buffer };

/** Reads the fields that ustar (IEEE 1003.1, "pax") and GNU tar share. */
function readHeader(block: Buffer): Header {
  const text = (offset: number, length: number): string => block.toString("latin1", offset, offset + length);
  const isPosix = text(257, 6) === "ustar\0";
  if (block.length < blockBytes || (!isPosix && text(257, 6) !== "ustar "))
    throw new FolderArchiveFault("what is compressed is no tar archive");
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0);
  if (octal(text(148, 8)) !== sum) throw new FolderArchiveFault("a header's checksum is wrong");
  const prefix = isPosix ? untilNul(block.subarray(345, 500)) : Buffer.alloc(0);
  const name = untilNul(block.subarray(0, 100));
  return {
    kind: text(kindAt, 1),
    size: octal(text(124, 12)),
    name: prefix.length > 0 ? Buffer.concat([prefix, Buffer.from("/"), name]) : name,
  };
}

const untilNul = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.indexOf(0) < 0 ? bytes.length : bytes.indexOf(0));

function octal(text: string): number {
  const digits = /^ *([0-7]+)[\0 ]*$/.exec(text)?.[1];
  if (digits === undefined) throw new FolderArchiveFault("a header's number is not octal");
  return Number.parseInt(digits, 8);
}

/** Returns the last value of a key in a pax header; null where it says other things only. A record is `LENGTH KEY=VALUE\n`. */
function paxRecord(body: Buffer, key: string): Buffer | null {
  const wanted = `${key}=`;
  let value: Buffer | null = null;
  for (let at = 0; at < body.length;) {
    let [length, start] = [0, at];
    for (; isDigit(body[start]) && start < at + 8; start += 1) length = length * 10 + (body[start] ?? 0) - zero;
    const end = at + length - 1;
    if (body[at] === zero || body[start] !== 0x20 || end < start + 3 || body[end] !== 0x0a)
      throw new FolderArchiveFault("a pax header is malformed");
    const valueAt = start + 1 + wanted.length;
    if (body.toString("latin1", start + 1, valueAt) === wanted) value = body.subarray(valueAt, end);
    at = end + 1;
  }
  return value;
}

const zero = 0x30;
const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= zero && byte <= 0x39;

/** Returns null for the folder itself. */
function toEntry(kind: string, bytes: Buffer, body: Buffer): Entry | null {
  const isDirectory = kind === "5";
  const name = trimPath(decodeName(bytes), isDirectory);
  const shown = JSON.stringify(name.slice(0, 200));
  if (kind === "1" || kind === "2") throw new FolderArchiveFault(`${shown} is a link`);
  if (!isDirectory && kind !== "0" && kind !== "\0")
    throw new FolderArchiveFault(`${shown} is neither a file nor a folder`);
  if (isDirectory && (name === "" || name === ".")) return null;
  const fault = fileNameFault(name);
  if (fault !== null) throw new FolderArchiveFault(`${shown}: ${fault}`);
  if (name.split("/").length > archiveLimits.depth)
    throw new FolderArchiveFault(`${shown} is deeper than ${archiveLimits.depth}`);
  return { name, isDirectory, body };
}

/** Takes `./` from a path's beginning, and `/` from a folder's end. An expression would need the square of their number. */
function trimPath(path: string, isDirectory: boolean): string {
  let [start, end] = [0, path.length];
  while (path[start] === "." && path[start + 1] === "/") {
    start += 2;
    while (path[start] === "/") start += 1;
  }
  while (isDirectory && end > start && path[end - 1] === "/") end -= 1;
  return path.slice(start, end);
}

function decodeName(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new FolderArchiveFault("a name is not UTF-8");
  }
}

/** Refuses names that are one file on some machine. */
function createNames() {
  const seen = new Map<string, { name: string; isDirectory: boolean }>();
  const add = (name: string, isDirectory: boolean): void => {
    const key = name.normalize("NFC").toLowerCase();
    const other = seen.get(key);
    if (other && !(other.isDirectory && isDirectory && other.name === name))
      throw new FolderArchiveFault(
        `${JSON.stringify(name)} ${other.name === name ? "stands twice" : `and ${JSON.stringify(other.name)} are one name on some machines`}`,
      );
    if (other) return;
    seen.set(key, { name, isDirectory });
    const parent = name.slice(0, Math.max(0, name.lastIndexOf("/")));
    if (parent !== "") add(parent, true);
  };
  return { add };
}

/** A text as it is; anything else, and a text that could be mistaken for one, as a data URL. */
function toContent(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  const isText = !text.includes("\0") && !text.startsWith("data:") && Buffer.from(text).equals(bytes);
  return isText ? text : `data:application/octet-stream;base64,${bytes.toString("base64")}`;
}
