type Entry = {
  name: string | Uint8Array;
  type?: string;
  body?: Uint8Array | string;
  /** Where the header is to say something else than the body. */
  size?: string;
  mode?: string;
  linkname?: string;
  prefix?: string;
  magic?: string;
  checksum?: string;
};

const encode = (text: string | Uint8Array): Buffer => Buffer.from(text as Uint8Array);

/** One entry as tar writes it: header, body, padding. */
export function tarEntry({ name, type = "0", body = "", ...given }: Entry): Buffer {
  const bytes = encode(body);
  const block = Buffer.alloc(512);
  const size = given.size ?? bytes.length.toString(8).padStart(11, "0");
  encode(name).copy(block, 0, 0, 100);
  encode(given.mode ?? "0000644").copy(block, 100);
  encode(size).copy(block, 124);
  encode("00000000000").copy(block, 136);
  encode(type).copy(block, 156);
  encode(given.linkname ?? "").copy(block, 157);
  encode(given.magic ?? "ustar\x0000").copy(block, 257);
  encode(given.prefix ?? "").copy(block, 345);
  block.fill(0x20, 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  encode(given.checksum ?? `${sum.toString(8).padStart(6, "0")}\0 `).copy(block, 148);
  return Buffer.concat([block, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
}

/** A pax header with these records, before the entry that it speaks of. */
export function paxHeader(records: Record<string, string>, type = "x"): Buffer {
  const lines = Object.entries(records).map(([key, value]) => {
    const rest = Buffer.byteLength(` ${key}=${value}\n`);
    let length = rest + 1;
    while (String(length).length + rest !== length) length++;
    return `${length} ${key}=${value}\n`;
  });
  return tarEntry({ name: "pax", type, body: lines.join("") });
}

/** Entries and the archive's end. */
export const tarOf = (...entries: Uint8Array[]): Buffer => Buffer.concat([...entries, Buffer.alloc(1024)]);
