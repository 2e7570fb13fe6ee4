import type { Call, Command } from "../command.ts";
import { openPage } from "../open-page.ts";

export const consolePage: Command = {
  usage: "console",
  summary: "Opens the console in the browser, signed in.",
  act: (call) => openConsole(call, "/"),
};

export const runPage: Command = {
  usage: "open <run>",
  summary: "Opens a run in the console.",
  needs: 1,
  async act(call) {
    const { id } = await call.client.runs.get(call.words[0] ?? "");
    return openConsole(call, `/runs/${encodeURIComponent(id)}`);
  },
};

/** With a key the address has a code that signs the browser in: once, within a minute. No server gets what is behind a #. */
async function openConsole(call: Call, path: string): Promise<number> {
  const { client, terminal } = call;
  const { auth_mode, principal } = await client.sessions.getCurrent();
  const signsIn = auth_mode === "key" && principal !== null;
  const hash = signsIn ? `#code=${(await client.sessions.createCode()).code}` : "";
  const address = `${client.url}/console${path}${hash}`;
  // Other users of this machine may see what a browser is started with.
  if (terminal.json) terminal.value({ url: address });
  else {
    terminal.data(address);
    openPage(address, call);
  }
  return 0;
}
