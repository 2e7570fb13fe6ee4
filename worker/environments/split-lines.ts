import { StringDecoder } from "node:string_decoder";

/** Of one line; the rest of it is dropped, so that a writer without line ends costs no memory. */
const mostChars = 4_000;
/** Of all lines: then the writer finds its pipe closed. */
const mostBytes = 16 * 1024 * 1024;

/** Calls `take` for each line that isn't blank, until the stream ends or is too long. Never rejects: a cut pipe has nothing more to say. */
export async function splitLines(stream: AsyncIterable<Uint8Array>, take: (line: string) => void): Promise<void> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  let bytes = 0;
  const takeUnlessBlank = (line: string): void => void (line.trim() && take(line.trimEnd()));
  try {
    for await (const chunk of stream) {
      bytes += chunk.length;
      if (bytes > mostBytes) break;
      const [first = "", ...others] = decoder.write(Buffer.from(chunk)).split(/[\r\n]+/);
      rest = (rest + first).slice(0, mostChars);
      for (const line of others) {
        takeUnlessBlank(rest);
        rest = line.slice(0, mostChars);
      }
    }
  } catch {
    // The process's exit tells why.
  }
  takeUnlessBlank(rest);
}
