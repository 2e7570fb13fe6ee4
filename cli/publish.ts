import { agentOf, type Call } from "./command.ts";
import type { Json } from "./client.ts";
import { sendConfig } from "./send-config.ts";
import { Fault } from "./exit-codes.ts";

type Asked = { config: Json; dev?: boolean; make_current?: boolean; version?: string };
export type Published = { agent: string; version: string; isNew: boolean };

const pollMs = 300;

/** Publishes a config as a version of the project's agent, and waits for its build, whose log it shows. */
export async function publish(call: Call, asked: Asked): Promise<Published> {
  const { client, project, terminal } = call;
  const agent = agentOf(call);
  const { id: user_id } = await client.users.getMe();
  const fields = { id: agent, user_id, name: project.name ?? agent };
  const files = Object.values((asked.config["files"] ?? {}) as Record<string, string>);
  const size = files.reduce((sum, text) => sum + text.length, 0);
  terminal.status(`Publishing ${agent}: ${files.length} files, ${Math.ceil(size / 1024)} KiB`);
  // The status alone says whether there is a new version.
  const { status, body } = await sendConfig(client, "/v1/agents", { ...fields, ...asked });
  const version = String(body["version"]);
  const isNew = status === 201;
  await waitForBuild(call, agent, version);
  if (!isNew) terminal.say(`${agent} ${version} is published already: nothing has changed.`);
  return { agent, version, isNew };
}

/** Shows a build's log as it grows: line after line, or on a terminal the newest one, and all of it when the build fails. */
async function waitForBuild({ client, terminal }: Call, agent: string, version: string): Promise<void> {
  if ((await client.versions.get(agent, version)).state === "ready") return terminal.status(null);
  const startedAt = Date.now();
  const seconds = (): number => Math.round((Date.now() - startedAt) / 1000);
  let shown = 0;
  for (;;) {
    const { log, state, error } = await client.versions.getBuild(agent, version);
    const lines = log
      .slice(shown)
      .split("\n")
      .filter((line) => line.trim() !== "");
    if (!terminal.isLive || state === "failed") {
      for (const line of lines) terminal.say(`  ${line}`);
      shown = log.length;
    }
    terminal.status(`Building ${agent} ${version} · ${seconds()} s · ${lines.at(-1)?.trim() ?? "waits for a worker"}`);
    if (state === "failed") throw new Fault("run_error", `The build of ${agent} ${version} failed.\n${error}`);
    if (state === "ready") return terminal.say(`Built ${agent} ${version} in ${seconds()} s`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
