import { connect } from "node:net";
import { timeLimit } from "./time-limit.ts";

/**
 * Sends bytes (Latin-1) and gives what comes until the connection ends, until nothing has come for `quietMs` (of a usual machine),
 * or until what has come has `enough` in it. Whoever waits for an answer names it: a busy machine is silent for longer.
 */
export function exchange(port: number, request: string, quietMs = 300, enough?: string): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(request, "latin1"));
    socket.setTimeout(timeLimit(quietMs), () => socket.destroy());
    socket.setEncoding("latin1");
    socket.on("data", (part: string) => {
      text += part;
      if (enough !== undefined && text.includes(enough)) socket.destroy();
    });
    socket.on("end", () => socket.destroy());
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(text));
  });
}
