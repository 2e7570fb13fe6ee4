import { readFileSync } from "node:fs";
import { join } from "node:path";
import { counter, invoiceReader, researcher } from "./demo-agents.ts";
import { projectFolder } from "./reachable.ts";

type Post = (path: string, body: unknown, headers?: Record<string, string>) => Promise<void>;
type List = (path: string) => Promise<{ data: unknown[] }>;

const question = {
  type: "object",
  required: ["question"],
  properties: { question: { type: "string", title: "Question", examples: ["How are streams resumed?"] } },
};

/** What the console shows first: a live run, a retry with tools, a question to a person, a failure, a thread and a schedule. */
export async function leaveRuns(post: Post, list: List): Promise<void> {
  const publish = (id: string, source: string, config: object = {}): Promise<void> =>
    post("/v1/agents", { user_id: "demo", id, name: id, make_current: true, config: { source, ...config } });
  await publish("researcher", researcher, {
    input_schema: question,
    retry: { max_attempts: 2, delay_ms: 500 },
  });
  await publish("counter", counter);
  await publish("invoice-reader", invoiceReader);
  await publish("refund-approval", readFileSync(join(projectFolder(), "examples/refund-approval/main.py"), "utf8"));
  const run = (agent_id: string, input_payload: object, more: object = {}): Promise<void> =>
    post("/v1/execute", { agent_id, version: "current", input_payload, ...more }, { prefer: "respond-async" });
  await run("counter", { seconds: 600 }, { timeout_ms: 900_000 });
  await run("refund-approval", { order: "A-1077", amount: 120, reason: "It came broken." });
  await run("refund-approval", { order: "A-1078", amount: 12 });
  for (const file of ["inv-2041.pdf", "inv-2042.pdf", "photo.png"]) await run("invoice-reader", { file });
  await run("researcher", { question: "How are streams resumed?" }, { thread_id: "demo-thread" });
  const daily = { agent_id: "invoice-reader", version: "current", input_payload: { file: "daily.pdf" } };
  // A demo that is started again finds its schedule.
  const { data: schedules } = await list("/v1/jobs?agent_id=invoice-reader");
  if (schedules.length === 0) await post("/v1/jobs", { ...daily, name: "Each workday", schedule: "0 8 * * 1-5" });
}
