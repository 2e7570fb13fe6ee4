import { ArchiveFault } from "./archive-fault.ts";

type Kind = "file" | "directory" | "pax";
type HeaderOf<K> = K extends Kind ? { kind: K; name: Uint8Array; size: number; executable: boolean } : never;
type Header = HeaderOf<Kind>;

/** Offset and length of the fields that are read of a ustar header (IEEE 1003.1, "pax", table 4-14). */
const field = {
  name: [0, 100],
  mode: [100, 8],
  size: [124, 12],
  checksum: [148, 8],
  kind: [156, 1],
  linkname: [157, 100],
  magic: [257, 8],
  prefix: [345, 155],
} as const;

const kinds: Record<string, Kind> = { "0": "file", "5": "directory", x: "pax" };

/** Returns a block of 512 bytes as a header; null for a block of zeros. Throws ArchiveFault. */
export function readHeader(block: Uint8Array): Header | null {
  if (block.every((byte) => byte === 0)) return null;
  const text = (part: keyof typeof field): string => Buffer.from(slice(block, part)).toString("latin1");
  if (text("magic") !== "ustar\x0000") throw new ArchiveFault("header", "a header is not of ustar");
  if (octal(text("checksum")) !== checksumOf(block)) throw new ArchiveFault("checksum", "a header's checksum is wrong");
  const kind = kinds[text("kind")];
  if (kind === undefined) throw new ArchiveFault("kind", "an entry is neither a file nor a directory");
  if (/[^\0]/.test(text("linkname"))) throw new ArchiveFault("kind", "an entry is a link");
  const mode = octal(text("mode"));
  if ((mode & ~0o777) !== 0) throw new ArchiveFault("mode", "an entry's mode has more than permissions");
  return { kind, name: nameOf(block), size: octal(text("size")), executable: (mode & 0o111) !== 0 };
}

/** Returns the path of a pax header, whose only record must be `path`. Throws ArchiveFault. */
export function parsePaxPath(body: Uint8Array): Uint8Array {
  const head = /^([1-9][0-9]{0,5}) path=/.exec(Buffer.from(body.subarray(0, 16)).toString("latin1"));
  if (!head || Number(head[1]) !== body.length || body.at(-1) !== 0x0a)
    throw new ArchiveFault("header", "a pax header says something else than a path");
  return body.slice(head[0].length, -1);
}

function slice(block: Uint8Array, part: keyof typeof field): Uint8Array {
  const [offset, length] = field[part];
  return block.subarray(offset, offset + length);
}

function nameOf(block: Uint8Array): Uint8Array {
  const [prefix, name] = [untilNul(slice(block, "prefix")), untilNul(slice(block, "name"))];
  return prefix.length === 0 ? name : Buffer.concat([prefix, Buffer.from("/"), name]);
}

/** All bytes after the first NUL must be NUL, too: other readers might take them for a part of the name. */
function untilNul(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(0);
  if (end < 0) return bytes;
  if (bytes.subarray(end).some((byte) => byte !== 0)) throw new ArchiveFault("name", "a name with a NUL inside");
  return bytes.slice(0, end);
}

/** Reads octal digits only. GNU's base-256 numbers are for sizes beyond 8 GiB, which no limit allows. */
function octal(text: string): number {
  const digits = /^([0-7]+)[\0 ]*$/.exec(text)?.[1];
  if (digits === undefined) throw new ArchiveFault("header", "a number is not octal");
  return Number.parseInt(digits, 8);
}

/** Returns the sum of all bytes. The bytes of the checksum itself count as blanks. */
function checksumOf(block: Uint8Array): number {
  const [, length] = field.checksum;
  const own = slice(block, "checksum").reduce((sum, byte) => sum + byte, 0);
  return block.reduce((sum, byte) => sum + byte, 0) - own + length * 0x20;
}
