import { randomUUID } from "node:crypto";
import { Queue } from "bullmq";
import express, { type Response } from "express";
import { Redis } from "ioredis";
import pg from "pg";
import { type SkeletonSettings, channel, queueName } from "./names.ts";

/** Accepts a run by one commit and one job, and streams the run's published events. */
export async function startSkeletonApi({ databaseUrl, redisUrl, port }: SkeletonSettings): Promise<void> {
  const db = new pg.Pool({ connectionString: databaseUrl });
  const queue = new Queue(queueName, { connection: new Redis(redisUrl, { maxRetriesPerRequest: null }) });
  const readers = new Map<string, Response>();
  const subscriber = new Redis(redisUrl);
  subscriber.on("message", (_channel, message: string) => {
    const [id = "", type = ""] = message.split(" ");
    const reader = readers.get(id);
    reader?.write(frame(type, id));
    if (type === "run.success" && readers.delete(id)) reader?.end();
  });
  await subscriber.subscribe(channel);

  const app = express();
  app.use(express.json());
  app.post("/v1/execute", async (request, response) => {
    const id = randomUUID();
    await db.query({
      name: "insert",
      text: "INSERT INTO skeleton VALUES ($1, $2, 'queued')",
      values: [id, request.body],
    });
    readers.set(id, response);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(frame("run.queued", id));
    await queue.add("run", { id }, { removeOnComplete: true });
  });
  app.listen(port, "127.0.0.1", () => console.log("ready"));
}

const frame = (type: string, id: string): string => `event: ${type}\ndata: {"run_id":"${id}"}\n\n`;
