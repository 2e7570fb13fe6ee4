import { node, type Program, python } from "./program.ts";
import { waitingPrograms } from "./waiting-programs.ts";

/** By name. */
export const programs: Readonly<Record<string, Program>> = {
  ...waitingPrograms,
  loop: {
    adapter_type: "python",
    source: `${python}
def main(input):
    total = 0
    for n in range(8):
        total += context.step("item", work, n * n)
        say("main", total=total)
    return {"total": total}
`,
  },
  tries: {
    adapter_type: "python",
    source: `${python}
def flaky(step, wanted):
    say("main", wanted=wanted, number=step.number)
    pause()
    if step.number < wanted:
        raise ValueError(f"no {step.number}")
    return wanted

def main(input):
    done = [context.step("flaky", flaky, n, retry={"max_attempts": 3, "delay_ms": 10}) for n in (1, 2, 3)]
    try:
        context.step("flaky", flaky, 9, retry={"max_attempts": 2, "delay_ms": 10})
    except ValueError as error:
        say("main", gave_up=str(error))
    return {"done": done}
`,
  },
  tokens: {
    adapter_type: "python",
    source: `${python}
async def stream(n):
    for part in range(5):
        say(f"stream {n}", part=part)
        await asyncio.sleep(random.random() * 0.01)
    return n

async def one(n):
    say(f"stream {n}", begun=n)
    await asyncio.sleep(random.random() * 0.01)
    value = await context.step("stream", stream, n)
    say(f"stream {n}", done=value)
    return value

async def main(input):
    return {"done": await asyncio.gather(*(one(n) for n in range(4)))}
`,
  },
  threads: {
    adapter_type: "python",
    source: `${python}
def job(n):
    pause()
    first = context.step("load", work, n)
    say(f"job {n}", first=first)
    pause()
    second = context.step("calc", work, first * 2)
    say(f"job {n}", second=second)
    return second

def main(input):
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        done = [future.result() for future in [pool.submit(job, n) for n in range(5)]]
    return {"done": done, "saved": context.step("save", work, sum(done))}
`,
  },
  leaf: {
    adapter_type: "python",
    source: `${python}
def main(input):
    return {"n": context.step("double", work, input.get("n", 1) * 2)}
`,
  },
  children: {
    adapter_type: "python",
    children: 6,
    source: `${python}
def main(input):
    first = context.run_agent("leaf", {"n": 1})
    say("main", first=first)
    many = context.map("leaf", [{"n": n} for n in range(4)], concurrency=2)
    say("main", many=many)
    left = context.start_agent("leaf", {"n": 9})
    return {"sum": first["n"] + sum(one["n"] for one in many), "left": len(left)}
`,
  },
  naps: {
    adapter_type: "python",
    children: 2,
    source: `${python}
async def branch(n):
    await context.sleep(random.random() * 0.1)
    found = await context.run_agent("leaf", {"n": n})
    say(f"branch {n}", found=found)
    await context.step("keep", later, n)
    return found["n"]

async def main(input):
    done, _ = await asyncio.gather(asyncio.gather(branch(1), branch(2)), context.sleep(1.5))
    return {"done": done}
`,
  },
  node_children: {
    adapter_type: "node",
    children: 4,
    source: `${node}
export async function main(input, context) {
  const many = await context.map("leaf", [1, 2, 3].map((n) => ({ n })));
  context.emit("said", { lane: "main", many });
  await context.sleep(1.3);
  const last = await context.runAgent("leaf", { n: 4 });
  return { sum: many.reduce((sum, { n }) => sum + n, 0) + last.n };
}
`,
  },
  node_loop: {
    adapter_type: "node",
    source: `${node}
export async function* main(input, context) {
  let total = 0;
  for (let n = 0; n < 8; n += 1) {
    total += await context.step("item", later(n * n));
    yield { lane: "main", total };
  }
  return { total };
}
`,
  },
  node_branches: {
    adapter_type: "node",
    source: `${node}
export async function main(input, context) {
  const say = (lane, words) => context.emit("said", { lane, ...words });
  const branch = async (n) => {
    const found = [];
    for (let part = 0; part < 3; part += 1) {
      await pause(10);
      found.push(await context.step("fetch", later(n * 10 + part)));
      say(\`branch \${n}\`, { part });
    }
    return found;
  };
  const done = await Promise.all([0, 1, 2].map((n) => context.branch(\`b\${n}\`, () => branch(n))));
  const saved = await context.step("save", async (step) => {
    for (let part = 0; part < 3; part += 1) {
      say("save", { part });
      await pause(10);
    }
    return done.flat().length;
  });
  return { done, saved };
}
`,
  },
};
