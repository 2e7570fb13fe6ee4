import { node, type Program, python } from "./program.ts";

/** Signals of one name are taken in the order in which they were accepted. */
const goes = [1, 2, 3].map((n) => ({ name: "go", payload: { n } }));
const late = [{ name: "late", payload: "late" }];

/** Agents that wait: for time, signals, answers and races. By name. */
export const waitingPrograms: Readonly<Record<string, Program>> = {
  sleeps: {
    adapter_type: "python",
    source: `${python}
def main(input):
    for n in range(4):
        say("main", before=n)
        context.sleep(0.15 * (n + 1))
        context.step("tick", work, n)
        say("main", after=n)
    return {"later": context.now() <= context.now()}
`,
  },
  signals: {
    adapter_type: "python",
    signals: [...goes, ...late],
    source: `${python}
async def main(input):
    first = await context.wait_for("go")
    say("main", first=first)
    await context.step("between", later, 1)
    rest = [await context.wait_for("go"), (await context.wait_for(["go", "never"]))["payload"]]
    say("main", rest=rest)
    lost = context.wait_for("late")
    won = context.sleep(0.3)
    done, _ = await asyncio.wait([lost, won], return_when=asyncio.FIRST_COMPLETED)
    if lost in done:
        came = lost.result()
    else:
        lost.cancel()
        await context.step("meanwhile", later, 2)
        came = await context.wait_for("late")
    return {"came": came, "first": first, "rest": rest}
`,
  },
  asks: {
    adapter_type: "python",
    asks: true,
    source: `${python}
def main(input):
    answers = []
    for n in range(3):
        say("main", asks=n)
        answers.append(context.interrupt(f"question {n}"))
        context.step("apply", work, n)
        say("main", answers=answers)
    return {"answers": answers}
`,
  },
  late_tries: {
    adapter_type: "python",
    source: `${python}
def flaky(step, wanted):
    say("main", wanted=wanted, number=step.number)
    if step.number < wanted:
        raise ValueError(f"no {step.number}")
    return wanted

def main(input):
    return {"done": [context.step("flaky", flaky, n, retry={"max_attempts": 3, "delay_ms": 300}) for n in (2, 3)]}
`,
  },
  waiting_threads: {
    adapter_type: "python",
    signals: goes,
    source: `${python}
def job(n):
    context.sleep(0.1 * n)
    found = context.step("load", work, n)
    say(f"job {n}", found=found)
    context.wait_for("go")
    return context.step("done", work, found * 10)

def main(input):
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        return {"done": [future.result() for future in [pool.submit(job, n) for n in range(3)]]}
`,
  },
  race: { adapter_type: "python", source: raceOf("value", 3) },
  large_race: { adapter_type: "python", source: raceOf("[value] * 300_000", 1) },
  mix: {
    adapter_type: "python",
    asks: true,
    signals: goes.slice(0, 1),
    children: 1,
    source: `${python}
async def timer():
    for n in range(3):
        await context.sleep(0.2)
        say("timer", n=n)
        await context.step("t", later, n)

async def told():
    found = await context.wait_for("go")
    say("told", found=found)
    return await context.step("t", later, found["n"])

async def child():
    found = await context.run_agent("leaf", {"n": 5})
    say("child", found=found)
    return found["n"]

def main_flaky(step):
    if step.number < 2:
        raise ValueError("no")
    return 1

async def flaky():
    return await context.step("f", main_flaky, retry={"max_attempts": 2, "delay_ms": 250})

async def main(input):
    done = await asyncio.gather(timer(), told(), child(), flaky())
    answer = context.interrupt("all done?")
    return {"done": done[1:], "answer": answer, "end": await context.step("t", later, 9)}
`,
  },
  goes_on: {
    adapter_type: "python",
    signals: goes,
    source: `${python}
async def main(input):
    n = input.get("n", 0)
    say("main", leg=n)
    done = await asyncio.gather(*[context.step("load", later, n * 10 + k) for k in range(2)])
    heard = [*input.get("heard", []), await context.wait_for("go")]
    say("main", heard=heard)
    done = [*input.get("done", []), *done]
    if n < 2:
        context.continue_as({"n": n + 1, "heard": heard, "done": done})
    return {"heard": heard, "done": done}
`,
  },
  notes: {
    adapter_type: "python",
    notes: 20,
    source: `${python}
async def main(input):
    taken = []
    end = context.sleep(2)
    while True:
        note = context.wait_for("note")
        done, _ = await asyncio.wait([note, end], return_when=asyncio.FIRST_COMPLETED)
        if note in done:
            taken.append(note.result())
        if end in done:
            note.cancel()
            return {"taken": taken}
        await context.step("noted", later, taken[-1])
`,
  },
  node_waits: {
    adapter_type: "node",
    signals: goes,
    asks: true,
    source: `${node}
export async function* main(input, context) {
  const found = [];
  for (let n = 0; n < 3; n += 1) {
    yield { lane: "main", before: n };
    await context.sleep(0.15 * (n + 1));
    found.push(await context.waitFor("go"));
    await context.step("tick", later(n));
    yield { lane: "main", after: n };
  }
  const answer = await context.interrupt("Go on?");
  const flaky = async (step) => {
    if (step.number < 2) throw new Error("no");
    return step.number;
  };
  return { found, answer, tries: await context.step("flaky", flaky, { retry: { max_attempts: 2, delay_ms: 250 } }) };
}
`,
  },
  node_goes_on: {
    adapter_type: "node",
    signals: goes,
    source: `${node}
export async function* main({ n = 0, heard = [], done = [] }, context) {
  yield { lane: "main", leg: n };
  done = [...done, ...(await Promise.all([0, 1].map((k) => context.step("load", later(n * 10 + k)))))];
  heard = [...heard, await context.waitFor("go")];
  yield { lane: "main", heard };
  if (n < 2) context.continueAs({ n: n + 1, heard, done });
  return { heard, done };
}
`,
  },
  node_race: { adapter_type: "node", source: nodeRaceOf("n", 3) },
  node_large_race: { adapter_type: "node", source: nodeRaceOf("String(n).repeat(900_000)", 1) },
  node_notes: {
    adapter_type: "node",
    notes: 20,
    source: `${node}
export async function main(input, context) {
  const taken = [];
  const end = context.sleep(2).then(() => null);
  for (;;) {
    const given = new AbortController();
    const note = context.waitFor("note", { signal: given.signal }).then((payload) => ({ payload }));
    note.catch(() => undefined);
    const first = await Promise.race([note, end]);
    if (first === null) {
      given.abort();
      return { taken };
    }
    taken.push(first.payload);
    await context.step("noted", later(first.payload));
  }
}
`,
  },
};

/** Whoever wins, the program goes on by it: another winner on a replay is another call, which ends the run. */
function raceOf(result: string, rounds: number): string {
  return `${python}
async def bid(value):
    await asyncio.sleep(random.random() * 0.02)
    return ${result}

async def main(input):
    for n in range(${rounds}):
        bids = [context.step(f"bid {n}", bid, part, key=f"{n}.{part}") for part in range(3)]
        done, _ = await asyncio.wait(bids, return_when=asyncio.FIRST_COMPLETED)
        winner = next(place for place, one in enumerate(bids) if one in done)
        await context.step(f"winner {winner}", later, winner)
        await asyncio.gather(*bids)
        await context.step("joined", later, n)
    return {"rounds": ${rounds}}
`;
}

function nodeRaceOf(result: string, rounds: number): string {
  return `${node}
export async function main(input, context) {
  for (let round = 0; round < ${rounds}; round += 1) {
    const bid = (n) => async () => {
      await pause();
      return ${result};
    };
    const bids = [0, 1, 2].map((n) => context.step("bid", bid(n), { key: \`\${round}.\${n}\` }));
    const winner = await Promise.race(bids.map((one, n) => one.then(() => n)));
    await context.step(\`winner \${winner}\`, later(winner));
    await Promise.all(bids);
    await context.step("joined", later(round));
  }
  return { rounds: ${rounds} };
}
`;
}
