import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { call, execute, readEvents } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

const admin = randomBytes(24).toString("hex");
const planted = (what: string): string => `${what}-${randomBytes(16).toString("hex")}`;
const secrets = {
  env: planted("env"),
  file: planted("file"),
  agent: planted("agent"),
  job: planted("job"),
  daemon: planted("daemon"),
  connection: planted("connection"),
};
/** Says what it was told in every way that there is. */
const teller = py`
  import os, sys
  def main(input, context):
      words = [os.environ["TOKEN"], os.environ["AGENT_SECRET"]]
      for word in words:
          print("out", word)
          print("err", word, file=sys.stderr)
          context.emit("fact", {"word": word, word: 1})
          context.log("log " + word)
          context.progress(0.5, "at " + word)
          context.artifact("a-" + word + ".txt", b"x", "text/" + word)
          with context.tool("ask", {"word": word}) as tool:
              tool.result = [word]
      context.save_state("state " + words[0])
      yield words[0][:20]
      yield words[0][20:]
      if input.get("fail"):
          raise ValueError("it was " + words[0] + " and " + words[1])
      return {"words": words, words[0]: 1}
`;

const stack = await useTestStack();
const settings = { LOG_LEVEL: "trace", AUTH_MODE: "key", BOOTSTRAP_ADMIN_KEY: admin };
const { api, worker } = await stack.startMembers({ api: settings, worker: settings });

/** A call that is answered as it should be. */
const ask: typeof call = async (...request) => {
  const answer = await call(...request);
  if (answer.status >= 300) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
};
const asAdmin = { authorization: `Bearer ${admin}` };

test("what is planted as a secret is found in no table, no Redis key, no log and no answer", async () => {
  await ask(api.url, "POST", "/v1/users", { id: "ada" }, asAdmin);
  const made = await ask(
    api.url,
    "POST",
    "/v1/users/me/api-keys",
    { user_id: "ada", name: "k", scopes: ["*"] },
    asAdmin,
  );
  const key = String(made.body["key"]);
  const headers = { authorization: `Bearer ${key}` };
  const config = { source: teller, secrets: ["AGENT_SECRET"] };
  const agent = await ask(api.url, "POST", "/v1/agents", { user_id: "ada", name: "teller", config }, headers);
  const agent_id = String(agent.body["id"]);
  await ask(api.url, "PUT", `/v1/agents/${agent_id}/secrets/AGENT_SECRET`, { value: secrets.agent }, headers);
  const said: string[] = [];
  for (const fail of [false, true]) {
    const events = await readEvents(
      await execute(
        api.url,
        {
          agent_id,
          version: "current",
          input_payload: { fail },
          env_vars: { TOKEN: secrets.env },
          files: { "data.txt": secrets.file },
        },
        headers,
      ),
    );
    expect(events.at(-1)?.event).toBe(fail ? "run.error" : "run.success");
    said.push(JSON.stringify(events));
    const id = String(events[0]?.data["run_id"]);
    for (const path of ["", "/events", "/timeline", "/artifacts"])
      said.push(JSON.stringify((await ask(api.url, "GET", `/v1/runs/${id}${path}`, undefined, headers)).body));
  }
  // Those that stay: of a schedule that is far away, of a daemon, of a webhook.
  await ask(
    api.url,
    "POST",
    "/v1/jobs",
    { agent_id, version: "current", schedule: "@yearly", env_vars: { TOKEN: secrets.job } },
    headers,
  );
  const webhook = await ask(
    api.url,
    "POST",
    "/v1/webhooks",
    { url: "http://127.0.0.1:9/", events: ["run.error"] },
    headers,
  );
  const connection = { preset: "openai", secret: secrets.connection };
  await ask(api.url, "PUT", `/v1/connections/openai?agent_id=${agent_id}`, connection, headers);
  await ask(api.url, "POST", "/v1/daemons", { agent_id, env_vars: { TOKEN: secrets.daemon } }, headers);
  const hidden = [...Object.values(secrets), key, admin, String(webhook.body["secret"])];
  expect(hidden.every((secret) => secret.length > 24)).toBe(true);

  await waitFor(() => worker.logged().length > 0 && api.logged().includes("request"));
  const places: Record<string, string> = {
    ...(await readTables()),
    ...(await readRedis()),
    api: api.logged(),
    worker: worker.logged(),
  };
  expect(Object.keys(places).length).toBeGreaterThan(40);
  for (const [place, text] of [...Object.entries(places), ["answers", said.join("\n")] as const])
    for (const secret of hidden) {
      const forms = [secret, Buffer.from(secret).toString("hex"), Buffer.from(secret).toString("base64").slice(0, -4)];
      expect([place, forms.filter((form) => text.includes(form))]).toEqual([place, []]);
    }
  // That the search would find what is there.
  expect(places["runs"]).toContain(agent_id);
  expect(said.join("")).toContain("[redacted]");
  expect(
    Object.entries(places).filter(([place, text]) => place.includes("run:") && text.includes("[redacted]")),
  ).toHaveLength(2);
}, 60_000);

/** All tables as text, bytes in hex. */
async function readTables(): Promise<Record<string, string>> {
  const { rows } = await stack.sql.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  const read = async ({ name }: { name: string }) => {
    const table = await stack.sql.query<{ row: string }>(`SELECT t::text AS row FROM "${name}" t`);
    return [name, table.rows.map(({ row }) => row).join("\n")] as const;
  };
  return Object.fromEntries(await Promise.all(rows.map(read)));
}

/** How each kind of key is read whole. */
const readers: Record<string, (key: string) => [string, ...(string | number)[]]> = {
  string: (key) => ["GET", key],
  hash: (key) => ["HGETALL", key],
  list: (key) => ["LRANGE", key, 0, -1],
  set: (key) => ["SMEMBERS", key],
  zset: (key) => ["ZRANGE", key, 0, -1],
  stream: (key) => ["XRANGE", key, "-", "+"],
};

async function readRedis(): Promise<Record<string, string>> {
  const keys = await stack.redis.keys(`*${stack.prefix}*`);
  const read = async (key: string) => {
    const [command, ...rest] = readers[await stack.redis.type(key)]?.(key) ?? ["EXISTS", key];
    return [key, key + JSON.stringify(await stack.redis.call(command, ...rest))] as const;
  };
  return Object.fromEntries(await Promise.all(keys.map(read)));
}
