// Publishes an agent of each language, runs it until it asks a person, answers, and expects its result. Reads RUNFLEET_URL and RUNFLEET_API_KEY.
import { setTimeout as sleep } from "node:timers/promises";

const { RUNFLEET_URL: url, RUNFLEET_API_KEY: key } = process.env;
const withinMs = 120_000;

async function call(method, path, body) {
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}`, prefer: "respond-async" };
  const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text.slice(0, 300)}`);
  return text === "" ? null : JSON.parse(text);
}

/** Returns the run once it has this status. */
async function until(id, status) {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const run = await call("GET", `/v1/runs/${id}`);
    if (run.status === status) return run;
    const isOver = ["success", "error", "timeout", "cancelled", "expired"].includes(run.status);
    if (isOver || Date.now() > deadline)
      throw new Error(`The run is not ${status}: ${JSON.stringify({ status: run.status, error: run.error })}`);
    await sleep(250);
  }
}

const sources = {
  python: `
def main(input, context):
    answer = context.interrupt("May I go on?")
    return {"answer": answer}
`,
  node: `
export function main(input, context) {
  return { answer: context.interrupt("May I go on?") };
}
`,
};
for (const [adapter_type, source] of Object.entries(sources)) {
  const config = { adapter_type, source };
  const agent = await call("POST", "/v1/agents", { user_id: "helm-test", name: `helm-test-${adapter_type}`, config });
  try {
    const run = await call("POST", "/v1/execute", { agent_id: agent.id, version: "current", input_payload: {} });
    await until(run.id, "interrupted");
    await call("POST", `/v1/runs/${run.id}/resume`, { response: "yes" });
    const { result_content } = await until(run.id, "success");
    if (result_content?.answer !== "yes")
      throw new Error(`The answer did not arrive: ${JSON.stringify(result_content)}`);
    console.log(`The run ${run.id} of ${adapter_type} asked, was answered and succeeded.`);
  } finally {
    // An agent with a run that has not ended can't be deleted; the fault above is the one to show.
    await call("DELETE", `/v1/agents/${agent.id}`).catch((error) => console.error(error.message));
  }
}
