import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Worker } from "bullmq";
import { Redis } from "ioredis";
import pg from "pg";
import { type SkeletonSettings, channel, queueName } from "./names.ts";

const slots = 8;

const forker = `import gc, json, os, sys
gc.freeze()
for line in sys.stdin.buffer:
    child = os.fork()
    if child == 0:
        json.loads(line)
        os.write(1, b"{}\\n")
        os._exit(0)
    os.waitpid(child, 0)`;

/** Claims a run by a commit, forks a bare Python for it, publishes a line, ends the run by a commit, and publishes its end. */
export async function startSkeletonWorker({ databaseUrl, redisUrl }: SkeletonSettings): Promise<void> {
  const db = new pg.Pool({ connectionString: databaseUrl });
  const redis = new Redis(redisUrl);
  const idle = Array.from({ length: slots }, startForker);
  const move = (name: string, set: string, id: string) =>
    db.query({ name, text: `UPDATE skeleton SET ${set} WHERE id = $1 RETURNING input`, values: [id] });
  const publish = (id: string, type: string) =>
    redis
      .multi()
      .xadd(`skeleton:${id}`, "*", "e", type)
      .pexpire(`skeleton:${id}`, 60_000)
      .publish(channel, `${id} ${type}`)
      .exec();
  const execute = async ({ data: { id } }: { data: { id: string } }): Promise<void> => {
    const forkOne = idle.pop() ?? startForker();
    await move("claim", "status = 'running'", id);
    await forkOne();
    await publish(id, "output.delta");
    idle.push(forkOne);
    await move("finalize", "status = 'success', result = '{}'", id);
    await publish(id, "run.success");
  };
  const connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
  await new Worker(queueName, execute, { connection, concurrency: slots }).waitUntilReady();
  console.log("ready");
}

/** Starts a Python that forks a process for each line. Returns a function that asks for the next one. */
function startForker(): () => Promise<void> {
  const child = spawn("python3", ["-I", "-S", "-c", forker], { stdio: ["pipe", "pipe", "inherit"] });
  let answered: () => void = () => undefined;
  createInterface({ input: child.stdout }).on("line", () => answered());
  return () =>
    new Promise((resolve) => {
      answered = resolve;
      child.stdin.write("{}\n");
    });
}
