import { StringDecoder } from "node:string_decoder";

/** The rest of a longer line is dropped, so that a writer without line ends costs no memory. */
const mostChars = 4_000;
/** After this many bytes the writer finds its pipe closed. */
const mostBytes = 16 * 1024 * 1024;

/** Calls `take` for each line that isn't blank, until the stream ends or is too long. A cut pipe ends it, too: never rejects. */
export async function readLogLines(stream: AsyncIterable<Uint8Array>, take: (line: string) => void): Promise<void> {
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
    // The process's exit says why.
  }
  takeUnlessBlank(rest);
}
