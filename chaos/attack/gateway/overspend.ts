import { setTimeout as sleep } from "node:timers/promises";
import {
  begin,
  billedFor,
  connect,
  type Ended,
  ended,
  execute,
  type GatewayAttack,
  type Ground,
  limitSpending,
  openThread,
  publish,
  seenDuring,
} from "./ground.ts";

const py = String.raw;
const cap = 600;

/** Asks several times at once, and says what it was answered. */
const asks = py`
def main(input, context):
    body = input.get("body") or {"model": "gpt-5-mini", "max_tokens": 50, "messages": [{"role": "user", "content": "x"}]}
    if input.get("claims"): context.usage(**input["claims"])
    return {"statuses": [one[0] for one in at_once(input.get("at_once", 10), lambda n: ask(input.get("path", "/chat/completions"), body))]}
`;

type Spending = { program?: string; config: object; spend: (ground: Ground, agent: string) => Promise<unknown> };

/** What is billed stays within the cap, and is something: an attack that only fails shows nothing. */
const overspending = (name: string, { program = asks, config, spend }: Spending): GatewayAttack => ({
  name,
  class: "overspend",
  async act(ground) {
    const agent = await publish(ground, "mallory", program, { connections: ["openai"], ...config });
    const seen = await seenDuring(ground, () => spend(ground, agent));
    const billed = billedFor(seen);
    if (billed === 0) return ["nothing was billed at all"];
    return billed <= cap ? [] : [`${billed} tokens were billed of ${cap}, by ${seen.length} calls`];
  },
});

const message = { model: "gpt-5-mini", messages: [{ role: "user", content: "x" }] };

/** Attacks that spend more than a budget has. */
export const overspendings: readonly GatewayAttack[] = [
  overspending("ten parallel calls at the cap", {
    config: { budget: { tokens: cap } },
    spend: (ground, agent) => execute(ground, agent, { at_once: 10 }),
  }),
  overspending("ten parallel calls without a bound", {
    config: { budget: { tokens: cap } },
    spend: (ground, agent) => execute(ground, agent, { body: message }),
  }),
  overspending("a usage that it claims, so that there seems to be more left", {
    config: { budget: { tokens: cap } },
    spend: (ground, agent) => execute(ground, agent, { claims: { input_tokens: 0, output_tokens: 0, cost_usd: 0 } }),
  }),
  overspending("two bounds of which the service takes the larger one", {
    config: { budget: { agent_day: { tokens: cap } } },
    async spend(ground, agent) {
      const names = ["max_tokens", "max_completion_tokens", "max_output_tokens"];
      for (const small of names)
        for (const large of names)
          await execute(ground, agent, {
            at_once: 1,
            body: { ...message, [small]: 5, ...(small !== large && { [large]: 50_000 }) },
          });
    },
  }),
  overspending("a bound by a name that the service hasn't", {
    config: { budget: { agent_day: { tokens: cap } } },
    async spend(ground, agent) {
      const names = ["max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens"];
      for (const path of ["/chat/completions", "/responses"])
        for (const name of names) await execute(ground, agent, { at_once: 1, path, body: { ...message, [name]: 5 } });
    },
  }),
  overspending("parameters and fields that leave out of Google's answer what it cost", {
    program: py`
def main(input):
    body = {"contents": [{"role": "user", "parts": [{"text": "x"}]}], "generationConfig": {"maxOutputTokens": 100}}
    path, base = "/models/gemini-2.5-flash:generateContent", os.environ["GOOGLE_GEMINI_BASE_URL"]
    hidden = ["?fields=candidates", "?$fields=candidates", "?callback=f", "?alt=json&fields=candidates"]
    told = [ask(path + one, body, base) for one in hidden * 3] + [ask(path, body, base, x_goog_fieldmask="candidates") for _ in range(12)]
    return {"statuses": [one[0] for one in told]}`,
    config: { budget: { tokens: cap }, connections: ["google"] },
    async spend(ground, agent) {
      await connect(ground, "mallory", "google", { preset: "google" });
      await execute(ground, agent, {});
    },
  }),
  {
    name: "an owner's limit, by runs that spend and then wait for a person",
    class: "overspend",
    async act(ground) {
      const program = py`
from runfleet import interrupt
def main(input):
    body = {"model": "gpt-5-mini", "max_tokens": 50, "messages": [{"role": "user", "content": f"x {input['n']}"}]}
    status = ask(body=body)[0]
    return interrupt("go on?") if status == 200 else {"status": status}`;
      await connect(ground, "trudy", "openai");
      await limitSpending(ground, "trudy", cap);
      const agent = await publish(ground, "trudy", program, { connections: ["openai"] });
      const seen = await seenDuring(ground, async () => {
        for (let n = 0; n < 20; n += 1) {
          // By then a worker has read anew what is left.
          if (n === 10) await sleep(4_000);
          await execute(ground, agent, { n });
        }
      });
      const billed = billedFor(seen);
      if (billed === 0) return ["nothing was billed at all"];
      return billed <= cap ? [] : [`${billed} tokens were billed of ${cap}, by ${seen.length} calls`];
    },
  },
  overspending("a bound that is said twice, and in other spellings", {
    program: py`
def main(input):
    message = '"model":"gpt-5-mini","messages":[{"role":"user","content":"x"}]'
    said = ['"max_tokens":50000,"max_tokens":20', '"max_tokens":20,"max_tokens":50000', '"max\\u005ftokens":20,"max_tokens":50000,"max\\u005ftokens":20', '"n":1,"n":100,"n":1,"max_tokens":20']
    return {"statuses": [ask(body=("{" + message + "," + one + "}").encode())[0] for one in said]}`,
    config: { budget: { tokens: cap } },
    spend: (ground, agent) => execute(ground, agent, {}),
  }),
  overspending("Google's other names for the same bounds", {
    program: py`
def main(input):
    contents = {"contents": [{"role": "user", "parts": [{"text": "x"}]}]}
    said = [{"generation_config": {"max_output_tokens": 5000}}, {"generation_config": {"candidate_count": 8}, "generationConfig": {"maxOutputTokens": 100}},
            {"generationConfig": {"maxOutputTokens": 10, "max_output_tokens": 5000}}, {"generationConfig": {"maxOutputTokens": 10}}]
    return {"statuses": [ask("/models/gemini-2.5-flash:generateContent?alt=json", {**contents, **one}, os.environ["GOOGLE_GEMINI_BASE_URL"])[0] for one in said]}`,
    config: { budget: { tokens: cap }, connections: ["google"] },
    async spend(ground, agent) {
      await connect(ground, "mallory", "google", { preset: "google" });
      await execute(ground, agent, {});
    },
  }),
  overspending("the budget of a tree, by children that call in parallel", {
    program: py`
def main(input, context):
    if "depth" not in input: return {"ended": context.map(input["agent"], [{"depth": n} for n in range(4)])}
    return {"statuses": [one[0] for one in at_once(5, lambda n: ask())]}`,
    config: { budget: { tree: { tokens: cap } } },
    spend: (ground, agent) => execute(ground, agent, { agent }),
  }),
  overspending("the budget of a day, by runs at the same time", {
    config: { budget: { agent_day: { tokens: cap } } },
    spend: async (ground, agent) => {
      const ids = await Promise.all([1, 2, 3].map(() => begin(ground, agent, { at_once: 5 })));
      await Promise.all(ids.map((id) => ended(ground, id)));
    },
  }),
  overspending("the budget of a thread, turn by turn", {
    config: { budget: { thread: { tokens: cap } } },
    async spend(ground, agent) {
      const thread_id = await openThread(ground, "mallory");
      for (let turn = 0; turn < 3; turn += 1) await execute(ground, agent, { at_once: 5 }, { thread_id });
    },
  }),
  overspending("a budget, by an agent that dies in mid-call and begins anew", {
    program: py`
def main(input, context):
    if context.attempt < 4:
        import threading
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGKILL)).start()
    body = {"model": "gpt-5-mini", "max_tokens": 50, "messages": [{"role": "user", "content": f"x {context.attempt}"}]}
    return {"statuses": [one[0] for one in at_once(10, lambda n: ask(body={**body, "seed": n}))]}`,
    config: { budget: { tokens: cap }, max_attempts: 5, retry: { max_attempts: 5, delay_ms: 0 } },
    spend: (ground, agent) => execute(ground, agent, {}),
  }),
  {
    name: "a call that a person is to be asked about, by another spelling",
    class: "overspend",
    async act(ground) {
      const program = py`
def main(input):
    return {"told": raw(f"{input['how']} HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{{}}".encode())[:40]}`;
      const approvals = [{ method: "POST", path: "*/refunds*" }];
      const agent = await publish(ground, "mallory", program, { connections: ["openai"], approvals });
      const ways = [
        "POST /openai/Refunds/1",
        "POST /openai/%72efunds",
        "POST /openai/a/..%2frefunds",
        "post /openai/refunds",
      ];
      const isAnswered = ({ result }: Ended): boolean => /^HTTP\/1.1 2/.test(String(result["told"]));
      const allowed = await seenDuring(ground, async () => {
        const other = await execute(ground, agent, { how: "POST /openai/other" });
        if (!isAnswered(other)) throw new Error(`a call without approval was told ${JSON.stringify(other.result)}`);
      });
      if (allowed.length !== 1) return ["a call without approval didn't leave"];
      const faults: string[] = [];
      const seen = await seenDuring(ground, async () => {
        for (const how of ways) {
          const run = await execute(ground, agent, { how });
          if (isAnswered(run)) faults.push(`${how} was answered`);
          const isTold = run.status === "interrupted" || (run.status === "success" && run.result["told"] !== "");
          if (!isTold) faults.push(`${how}: ${run.status}, and nobody was asked`);
        }
      });
      return [...faults, ...seen.map(({ path }) => `${path} left`)];
    },
  },
];
