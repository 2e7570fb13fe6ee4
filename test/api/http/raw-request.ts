import { once } from "node:events";
import { connect } from "node:net";

export type RawAnswer = { status: number; headers: string; body: string };

/** Sends bytes as they stand, for what no HTTP client would send; answers the first whole answer that came back. */
export async function rawRequest(port: number, parts: readonly (string | Buffer)[]): Promise<RawAnswer> {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  const answered = new Promise<void>((resolve) => {
    socket.on("data", (chunk) => {
      received += chunk.toString();
      const [head = "", body] = received.split(/\r\n\r\n(.*)/s);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (body !== undefined && Buffer.byteLength(body) >= length) resolve();
    });
    socket.on("close", () => resolve());
    // The server may close while we still send.
    socket.on("error", () => resolve());
  });
  await once(socket, "connect");
  for (const part of parts) socket.write(part);
  await answered;
  socket.destroy();
  const [headers = "", body = ""] = received.split(/\r\n\r\n(.*)/s);
  return { status: Number(headers.split(" ")[1] ?? 0), headers, body };
}

/** A POST of JSON with the headers it needs; `headers` come on top. */
export const postParts = (
  path: string,
  body: string | Buffer,
  headers: readonly string[] = [],
): [head: string, body: string | Buffer] => [
  [
    `POST ${path} HTTP/1.1`,
    "Host: x",
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
    "\r\n",
  ].join("\r\n"),
  body,
];
