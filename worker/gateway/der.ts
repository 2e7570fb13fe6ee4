/** A value in ASN.1's distinguished encoding (X.690). */
export function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, { length: one }) => sum + one, 0);
  const long = length.toString(16);
  const bytes = Buffer.from(long.length % 2 === 0 ? long : `0${long}`, "hex");
  const head = length < 128 ? [tag, length] : [tag, 0x80 | bytes.length, ...bytes];
  return Buffer.concat([Buffer.from(head), ...parts]);
}

export const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts);
export const octets = (bytes: Buffer): Buffer => der(0x04, bytes);
/** A whole number of bytes, as all bit strings of a certificate are but its key usage. */
export const bits = (bytes: Buffer, unused = 0): Buffer => der(0x03, Buffer.from([unused]), bytes);

/** `1.2.840…` (X.690 §8.19). */
export function objectId(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(inBase128)]));
}

function inBase128(value: number): number[] {
  const groups = [value & 0x7f];
  for (let left = value >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80);
  return groups;
}

/** RFC 5280 §4.1.2.5: years from 2050 on are written with four digits. */
export function time(date: Date): Buffer {
  const digits = `${date.toISOString().replaceAll(/[-:T]|\.\d+/g, "")}`;
  const isShort = date.getUTCFullYear() < 2050;
  return der(isShort ? 0x17 : 0x18, Buffer.from(isShort ? digits.slice(2) : digits));
}
