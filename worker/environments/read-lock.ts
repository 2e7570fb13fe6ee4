import { StringDecoder } from "node:string_decoder";

const mostChars = 1024 * 1024;
const mostLines = 5_000;
/** `name==version --hash=sha256:…`. pip reads a lock, so no other option may stand in it. */
const line = /^[a-z0-9][a-z0-9-]*==[A-Za-z0-9][A-Za-z0-9._+!]* --hash=sha256:[0-9a-f]{64}$/;

/** Reads an installer's lock, which is foreign: a comment and a line for each package. Null: it is no such text. Never rejects. */
export async function readLock(stream: AsyncIterable<Uint8Array>): Promise<string | null> {
  const decoder = new StringDecoder("utf8");
  let text = "";
  try {
    for await (const chunk of stream) {
      text += decoder.write(Buffer.from(chunk));
      if (text.length > mostChars) return null;
    }
  } catch {
    // The process's exit says why.
  }
  const [about = "", ...lines] = text.trimEnd().split("\n");
  const isLock = /^# [ -~]{1,200}$/.test(about) && lines.length <= mostLines && lines.every((one) => line.test(one));
  return isLock ? text : null;
}
