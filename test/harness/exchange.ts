import { connect } from "node:net";

/** Sends bytes (Latin-1) and gives what comes until the connection ends, or until nothing has come for `quietMs`. */
export function exchange(port: number, request: string, quietMs = 300): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(request, "latin1"));
    socket.setTimeout(quietMs, () => socket.destroy());
    socket.setEncoding("latin1");
    socket.on("data", (part: string) => (text += part));
    socket.on("end", () => socket.destroy());
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(text));
  });
}
