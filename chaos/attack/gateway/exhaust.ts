import { begin, connect, ended, execute, type GatewayAttack, publish } from "./ground.ts";

const py = String.raw;
const seconds = 4;
/** How long a call of another owner's run may take meanwhile, on a machine with two cores. */
const slowestMs = 2_000;

/** Sends one body again and again, on eight connections. */
const floods = py`
def main(input):
    size = 31 << 20
    inner = {"numbers": b"0," * (size // 2) + b"0", "objects": b'{"a":0},' * (size // 8) + b"0", "quotes": b'"' + b'\\"' * (size // 2) + b'"'}[input["of"]]
    body = b'{"model":"gpt-5-mini","max_tokens":5,"messages":[' + inner + b"]}"
    until = time.time() + input["seconds"]
    def send(n):
        count = 0
        while time.time() < until:
            ask(body=body)
            count += 1
        return count
    return {"sent": sum(at_once(8, send))}`;

/** Says what its calls were answered, and how long the slowest one took. */
const calls = py`
def main(input):
    until, spent, failed = time.time() + input["seconds"], [], []
    while time.time() < until:
        at = time.time()
        status, told = ask("/things", {"of": "another owner"})
        spent.append((time.time() - at) * 1000)
        if status != 200: failed.append([status, told[:200]])
        time.sleep(0.02)
    return {"slowest_ms": max(spent), "calls": len(spent), "failed": failed}`;

const flood = (of: "numbers" | "objects" | "quotes"): GatewayAttack => ({
  name: `requests of 31 MB that are all ${of}, beside another owner's calls`,
  class: "exhaust",
  async act(ground) {
    await connect(ground, "alice", "openai");
    const honest = await publish(ground, "alice", calls, { connections: ["openai"] });
    const config = { connections: ["openai"], limits: { pids: 64, memory_mb: 256 } };
    const hostile = await publish(ground, "mallory", floods, config);
    await execute(ground, honest, { seconds: 0.1 });
    const flooding = await begin(ground, hostile, { of, seconds });
    const { status, result } = await execute(ground, honest, { seconds });
    const { result: sent } = await ended(ground, flooding);
    const slowest = Math.round(Number(result["slowest_ms"]));
    return [
      ...(status === "success" ? [] : [`the other owner's run ended as ${status}`]),
      ...(JSON.stringify(result["failed"]) === "[]" ? [] : [`calls failed: ${JSON.stringify(result["failed"])}`]),
      ...(slowest <= slowestMs ? [] : [`another owner's call took ${slowest} ms`]),
      ...(Number(sent["sent"]) >= 1 ? [] : ["the attack sent nothing"]),
    ];
  },
});

/** Attacks that take the gateway from others. */
export const exhaustions: readonly GatewayAttack[] = [flood("numbers"), flood("objects"), flood("quotes")];
