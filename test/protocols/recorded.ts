import { createParser } from "eventsource-parser";
import { readFileSync } from "node:fs";
import { z } from "zod";

/** What a real client and a real server said to each other. */
const exchange = z.object({
  name: z.string(),
  request: z.object({
    method: z.string(),
    path: z.string(),
    headers: z.record(z.string(), z.string()).default({}),
    body: z.unknown().optional(),
  }),
  response: z.object({
    status: z.number(),
    headers: z.record(z.string(), z.string()).default({}),
    body: z.unknown().optional(),
  }),
  events: z
    .array(z.object({ event: z.string().optional(), id: z.string().optional(), data: z.unknown().optional() }))
    .optional(),
});
export type Exchange = z.infer<typeof exchange>;

export function readRecorded(protocol: string): Exchange[] {
  const text = readFileSync(new URL(`recorded/${protocol}.json`, import.meta.url), "utf8");
  return z.object({ exchanges: z.array(exchange) }).parse(JSON.parse(text)).exchanges;
}

/** An answer as it was recorded, or as we gave it. */
export type Replied = { status: number; type: string; body: unknown; events: unknown[] };

export const recordedReply = ({ response: { status, headers, body }, events = [] }: Exchange): Replied => ({
  status,
  type: mediaType(headers["content-type"]),
  body: body ?? null,
  // An event without data is a comment.
  events: events.flatMap(({ event, data }) => (data === undefined ? [] : [named(event, data)])),
});

/** An event's data, under its name if it has one. */
const named = (event: string | undefined, data: unknown): unknown =>
  event === undefined || event === "message" ? data : { [event]: data };

const mediaType = (header: string | null | undefined): string => (header ?? "").split(";")[0] ?? "";

/** Reads an answer to its end, or until `enough` events have come. */
export async function readReply(
  response: Response,
  enough: (events: unknown[]) => boolean = () => false,
): Promise<Replied> {
  const type = mediaType(response.headers.get("content-type"));
  const { status } = response;
  if (type !== "text/event-stream") {
    const text = await response.text();
    return { status, type: text === "" ? "" : type, body: text === "" ? null : JSON.parse(text), events: [] };
  }
  const events: unknown[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => void events.push(named(event, data === "" ? "" : JSON.parse(data))),
  });
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    if (enough(events)) break;
  }
  return { status, type, body: null, events };
}

/** Fields whose values matter; of all others only that they are there. */
const told = new Set([
  "state",
  "status",
  "kind",
  "role",
  "final",
  "append",
  "lastChunk",
  "code",
  "mode",
  "type",
  "isError",
  "method",
  "reason",
]);

/** Returns what an answer says, one fact a line, without ids, times and words. */
function factsOf(value: unknown, path = ""): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => factsOf(item, `${path}[]`));
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([name, field]) => factsOf(field, `${path}.${name}`));
  return [told.has(path.split(".").at(-1) ?? "") ? `${path}=${String(value)}` : path];
}

/** Our own words in the places that both protocols keep for them. */
const ownWords = /\.(?:_meta|metadata)\./;

/** Returns how an answer of ours differs from the recorded one: `-` is missing, `+` is ours only. */
export function differences(recorded: Replied, ours: Replied): string[] {
  const tell = ({ status, type, ...rest }: Replied): string[] => [`status=${status}`, `type=${type}`, ...factsOf(rest)];
  const [theirs, own] = [new Set(tell(recorded)), new Set(tell(ours))];
  return [
    ...[...theirs].filter((fact) => !own.has(fact)).map((fact) => `- ${fact}`),
    ...[...own].filter((fact) => !theirs.has(fact) && !ownWords.test(fact)).map((fact) => `+ ${fact}`),
  ];
}

/** Puts what we know for a placeholder such as `<task-1>` in its place. */
export function fill<T>(value: T, known: ReadonlyMap<string, string>): T {
  const text = JSON.stringify(value).replaceAll(/<[\w-]+>/g, (name) => known.get(name) ?? name);
  return JSON.parse(text) as T;
}

/** Notes what stands in our answer where the recorded one has a placeholder. */
export function learn(recorded: unknown, ours: unknown, known: Map<string, string>): void {
  if (
    typeof recorded === "string" &&
    typeof ours === "string" &&
    /^<(?:task|context|thread|run|checkpoint)-\d+>$/.test(recorded)
  ) {
    if (!known.has(recorded)) known.set(recorded, ours);
  } else if (typeof recorded === "object" && recorded !== null && typeof ours === "object" && ours !== null)
    for (const [name, field] of Object.entries(recorded)) learn(field, (ours as Record<string, unknown>)[name], known);
}
