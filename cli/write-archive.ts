import { gzipSync } from "node:zlib";
import { toBytes } from "./read-folder.ts";

const block = 512;

/**
 * Returns files as a tar archive that gzip has compressed. `fields`: what its global header says beside them. The same input
 * gives the same bytes.
 */
export function writeArchive(files: Record<string, string>, fields: string): Buffer {
  const about = paxRecord("RUNFLEET.fields", fields);
  const entries = Object.entries(files)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([path, content]) => entryOf(path, toBytes(content)));
  return gzipSync(
    Buffer.concat([header("pax", about.length, "g"), padded(about), ...entries, Buffer.alloc(2 * block)]),
  );
}

/** A pax header comes first, since a plain one has room for 100 bytes of ASCII only (POSIX.1-2001, pax). */
function entryOf(path: string, content: Buffer): Buffer[] {
  const record = paxRecord("path", path);
  return [header("pax", record.length, "x"), padded(record), header("file", content.length, "0"), padded(content)];
}

/** `length path=value\n`, where the length counts its own digits. */
function paxRecord(name: string, value: string): Buffer {
  const rest = Buffer.from(` ${name}=${value}\n`);
  const digits = String(rest.length + String(rest.length + 3).length).length;
  return Buffer.concat([Buffer.from(String(rest.length + digits)), rest]);
}

function padded(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc((block - (content.length % block)) % block)]);
}

function header(name: string, size: number, type: string): Buffer {
  const bytes = Buffer.alloc(block);
  const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, "0")}\0`;
  bytes.write(name, 0);
  bytes.write(octal(0o644, 8), 100);
  bytes.write(octal(0, 8), 108);
  bytes.write(octal(0, 8), 116);
  bytes.write(octal(size, 12), 124);
  bytes.write(octal(0, 12), 136);
  // The checksum counts its own field as blanks.
  bytes.write(" ".repeat(8), 148);
  bytes.write(type, 156);
  bytes.write("ustar\u000000", 257);
  bytes.write(
    `${bytes
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, "0")}\0 `,
    148,
  );
  return bytes;
}
