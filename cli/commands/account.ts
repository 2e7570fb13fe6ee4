import { callService } from "../call-service.ts";
import { askSecret } from "../ask.ts";
import { createClient } from "../client.ts";
import type { Call, Command } from "../command.ts";
import { Fault } from "../exit-codes.ts";
import { keyByBrowser } from "../key-by-browser.ts";
import { findProfile, listProfiles, standardUrl, writeUserProfile } from "../settings.ts";
import { tableOf } from "../table.ts";

const nameOf = ({ flags, env }: Call): string => String(flags["profile"] ?? (env["RUNFLEET_PROFILE"] || "default"));

export const login: Command = {
  usage: "login [--profile name] [--url url]",
  summary:
    "Keeps an API key in your own config: one that you approve in the browser, enter at the prompt, or send to stdin.",
  async act(call) {
    const { flags, env, terminal } = call;
    const name = nameOf(call);
    const known = (): string | undefined => findProfile(name, () => call.project, env)?.url;
    const url = String(flags["url"] ?? (env["RUNFLEET_URL"] || (known() ?? standardUrl))).replace(/\/+$/, "");
    if (!URL.canParse(url)) throw new Fault("usage", `'${url}' is no URL.`);
    const apiKey = await readKey(url, call);
    if (apiKey === "") throw new Fault("usage", "No key was given.");
    const { id } = await createClient({ url, apiKey }).users.getMe();
    writeUserProfile(env, name, { url, api_key: apiKey });
    if (terminal.json) terminal.value({ profile: name, url, user: id });
    else terminal.data(`Signed in at ${url} as ${id} (profile '${name}')`);
    return 0;
  },
};

/** On a terminal whatever comes first counts: the browser's approval, or a key at the prompt. */
async function readKey(url: string, call: Call): Promise<string> {
  if (!process.stdin.isTTY) return askSecret("");
  const { auth_mode } = await createClient({ url, apiKey: null }).sessions.getCurrent();
  if (auth_mode === "open") throw new Fault("usage", `${url} runs open: nobody signs in there.`);
  const over = new AbortController();
  try {
    return await Promise.race([keyByBrowser(url, call, over.signal), askSecret("Or enter an API key: ", over.signal)]);
  } finally {
    over.abort();
  }
}

export const logout: Command = {
  usage: "logout [--profile name]",
  summary: "Forgets a profile's key. The key itself stays valid until it is revoked.",
  act(call) {
    const name = nameOf(call);
    if (!writeUserProfile(call.env, name, null))
      throw new Fault("not_found", `There is no profile '${name}' in your own config.`);
    call.terminal.say(`Profile '${name}' is forgotten.`);
    return Promise.resolve(0);
  },
};

export const whoami: Command = {
  usage: "whoami",
  summary: "Which service is used, and as whom.",
  async act({ client, terminal }) {
    const { body } = await callService(client, "GET", "/v1/users/me");
    if (terminal.json) terminal.value({ url: client.url, ...body });
    else terminal.data(`${String(body["id"])} at ${client.url}`);
    return 0;
  },
};

export const profiles: Command = {
  usage: "profiles",
  summary: "The profiles of your own config and of runfleet.json. One is used by --profile or RUNFLEET_PROFILE.",
  act({ env, project, terminal }) {
    const rows = Object.entries(listProfiles(project, env)).map(([name, { url, api_key }]) => ({
      name,
      url,
      key: api_key !== undefined,
    }));
    if (terminal.json) terminal.value({ data: rows });
    else if (rows.length === 0) terminal.say("There are none. runfleet login makes one.");
    else
      for (const line of tableOf(
        [
          ["PROFILE", (row) => row["name"]],
          ["URL", (row) => row["url"]],
          ["KEY", (row) => (row["key"] ? "kept" : "none")],
        ],
        rows,
        terminal.width,
      ))
        terminal.data(line);
    return Promise.resolve(0);
  },
};
