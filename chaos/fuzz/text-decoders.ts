import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { hasForeignKey, withoutKey } from "../../gateway/credentials.ts";
import { findConnection, pathOfCall } from "../../gateway/find-connection.ts";
import { redactBytes } from "../../gateway/redact-bytes.ts";
import type { GatewayRun } from "../../shared/schemas/gateway.ts";
import { openJson } from "../../api/http/parse-json.ts";
import { cleanHeaders, cleanReason, isFinalStatus } from "../../gateway/clean-headers.ts";
import { parseAuthority, parseHttpUrl } from "../../gateway/parse-target.ts";
import { fileFaults } from "../../shared/domain/agent/file-faults.ts";
import { deeperThan } from "../../shared/domain/json/measure-json.ts";
import { nextTick, scheduleFault } from "../../shared/domain/schedule/next-tick.ts";
import { nextTryDelayMs } from "../../shared/domain/retry/callback-retry-delay.ts";
import { parseSchedule } from "../../shared/domain/schedule/schedule.ts";
import { checkTargetUrl } from "../../shared/platform/net/address-guard.ts";
import { readHttpUrl } from "../../shared/schemas/read-lax.ts";
import { readConfig } from "../../shared/schemas/agent-config.ts";
import { runJob } from "../../shared/schemas/dispatch.ts";
import { formatEventLine, parseEventLine } from "../../shared/platform/stream/event-line.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import { retryAfterSeconds } from "../../worker/callbacks/deliver-callback.ts";
import { parseMessage } from "../../worker/fleet/listen.ts";
import { type Decoder, must, samplesOf, tryParse } from "./decoder.ts";

const now = new Date("2026-01-01T00:00:00Z");
const day = 86_400_000;

export const requestBodies: Decoder = {
  name: "request bodies",
  weight: 60,
  samples: samplesOf(
    '{"agent_id":"a","version":"current","input_payload":{"q":[1,2.5,"x",null,true]}}',
    '[{"a":"\\u00e9\\n"}]',
  ),
  read(input) {
    try {
      const value = openJson(input, "application/json").parse();
      // Accepted values are shallow enough for recursive code.
      JSON.stringify(value);
    } catch (error) {
      if (!(error instanceof ValidationFault)) throw error;
    }
  },
};

export const queueEntries: Decoder = {
  name: "queue entries",
  weight: 80,
  samples: samplesOf(
    '{"run_ids":["run_018f3c","run_2"],"queued_at":1780000000000}',
    '{"run_ids":[],"queued_at":0}',
    '{"run_ids":[null]}',
    "{}",
    "5",
  ),
  read(input) {
    const parsed = runJob.safeParse(tryParse(input.toString()));
    if (!parsed.success) return;
    must(
      parsed.data.run_ids.every((id) => id.length <= 256 && !id.includes("\0")),
      "ids that Postgres takes",
    );
  },
};

export const workerMessages: Decoder = {
  name: "messages to a worker",
  weight: 80,
  samples: samplesOf(
    '{"kind":"look","run_id":"run_1"}',
    '{"kind":"take","run_id":"run_1"}',
    '{"kind":"progress","run_id":"run_1","value":0.5,"message":"half"}',
  ),
  read(input) {
    const message = parseMessage(input.toString());
    if (message) must(["look", "take", "progress"].includes(message.kind), "a kind that is known");
  },
};

export const streamEntries: Decoder = {
  name: "stream entries",
  weight: 80,
  samples: samplesOf('1-1\toutput.delta\t{"content":"x"}', "3-250\trun.success\t{}", '0-1\trun.queued\t{"queue":{}}'),
  read(input) {
    const line = input.toString();
    const event = parseEventLine(line);
    if (event)
      must(parseEventLine(formatEventLine(event))?.data === event.data, "an event that is written as it was read");
  },
};

export const retryAfter: Decoder = {
  name: "Retry-After",
  weight: 80,
  samples: samplesOf("120", "Fri, 31 Dec 2027 23:59:59 GMT", "0", "2026-01-01T00:00:00Z"),
  read(input) {
    const asked = retryAfterSeconds(input.toString("latin1"), now);
    const delay = nextTryDelayMs(2, { scale: 1, random: 0.5, retryAfterSeconds: asked });
    must(delay !== null && Number.isInteger(delay) && delay >= 0 && delay <= 1.2 * day, "a delay within a day");
  },
};

export const dataUrls: Decoder = {
  name: "files and data URLs",
  weight: 60,
  samples: samplesOf(
    "data:text/plain;base64,aGVsbG8=",
    "data:,hello",
    "data: yaml",
    "plain text",
    "data:image/png;base64,iVBORw0KGgo=",
  ),
  read(input) {
    const text = input.toString();
    const [name = "", content = ""] = text.split(",", 2);
    const faults = fileFaults({ [name]: text, "a.txt": content });
    must(faults.length <= 2, "at most one fault a file");
    Buffer.from(content, "base64");
  },
};

export const schedules: Decoder = {
  name: "schedules",
  weight: 20,
  samples: samplesOf("*/5 * * * *", "0 9 * * 1-5", "every 5m", "2026-03-01T10:00:00Z", "0 0 31 2 *", "@daily"),
  read(input) {
    const text = input.toString();
    if (scheduleFault(text) !== null) return;
    const parsed = parseSchedule(text);
    must(!("fault" in parsed), "a schedule that was taken and can be read");
    if (!("fault" in parsed)) nextTick(parsed, "Europe/Berlin", now);
  },
};

export const configs: Decoder = {
  name: "configs that stand",
  weight: 40,
  samples: samplesOf(
    '{"entrypoint":"main.py:main","source":"x","limits":{"timeout_ms":5,"memory_mb":64},"network":{"allow":["a.org"]},"env":{"A":"b"},"retry":{"max_attempts":3}}',
    "null",
    "[1]",
  ),
  read(input) {
    const text = input.toString();
    if (!deeperThan(text, 64)) readConfig(tryParse(text));
  },
};

export const proxyTargets: Decoder = {
  name: "targets of the gateway",
  weight: 60,
  samples: samplesOf(
    "example.org:443",
    "[2001:db8::1]:8080",
    "http://example.org/a?b=c",
    "http://127.0.0.1:80/",
    "http://[::1]:81/x",
  ),
  read(input) {
    const text = input.toString("latin1");
    for (const target of [parseAuthority(text), parseHttpUrl(text)?.target ?? null])
      if (target)
        must(
          target.port >= 1 && target.port <= 65_535 && target.host !== "",
          "a host and a port that can be connected to",
        );
  },
};

const fuzzedRun: GatewayRun = {
  run_id: "r",
  attempt: 1,
  connections: ["https://api.example.org/v1", "http://127.0.0.1:8080/a/b"].map((base_url, at) => ({
    ...{ name: `c${at}`, preset: null, kind: "basic" as const, header: null, username: "u" },
    ...{ base_url, secret: "sk-12345678", requests_per_minute: null, tokens_per_minute: null },
  })),
  approvals: [],
};

export const connectionCalls: Decoder = {
  name: "calls to connections",
  weight: 60,
  samples: samplesOf(
    "/c0/chat/completions\nBearer x",
    "/c0/v1/models?key=a&b=%2e%2e\nBasic dTpw",
    "/c1/../../x\nBearer runfleet-gateway-adds-the-key",
    "http://127.0.0.1:3128/c1/%2E%2e/x#y\n",
  ),
  read(input) {
    const [path = "", key = ""] = input.toString("latin1").split("\n");
    const call = pathOfCall(path);
    const found = call === null ? null : findConnection(call, fuzzedRun);
    if (!found || "reason" in found) return;
    const { connection, url } = found;
    must(
      `${url.href}/`.startsWith(`${connection.base_url}/`) || url.href.startsWith(`${connection.base_url}?`),
      "an address below the connection's",
    );
    must(!(withoutKey(url, { preset: "google" })?.searchParams.has("key") ?? false), "no key in the address");
    hasForeignKey(["Authorization", key], connection);
  },
};

/** Cuts an echo of a secret in two. */
export const echoedSecrets: Decoder = {
  name: "echoes of secrets",
  weight: 40,
  samples: samplesOf("a sk-12345678 b", "sk-1234sk-12345678", "\0sk-1234567", "sk-12345678sk-12345678"),
  async read(input) {
    for (const size of [Math.max(3, input.length >> 8), 4096]) {
      const stream = redactBytes(["sk-12345678"], (act) => act());
      const parts = Array.from({ length: Math.ceil(input.length / size) }, (_, at) =>
        input.subarray(at * size, (at + 1) * size),
      );
      const said = await buffer(Readable.from(parts).pipe(stream));
      must(!said.includes("sk-12345678"), "no secret");
      must(
        said.equals(Buffer.from(input.toString("latin1").replaceAll("sk-12345678", "[redacted]"), "latin1")),
        "the rest as it was",
      );
    }
  },
};

export const callbackUrls: Decoder = {
  name: "callback URLs",
  weight: 40,
  samples: samplesOf(
    "https://example.org/hook?a=b",
    "http://0x7f.1/",
    "http://[::ffff:127.0.0.1]/",
    "https://u:p@example.org:8443/",
  ),
  read(input) {
    const text = input.toString("latin1");
    const judged = checkTargetUrl(text, []);
    if ("url" in judged) must(/^https?:$/.test(judged.url.protocol), "a URL of the web");
    readHttpUrl(text);
  },
};

export const proxyHeaders: Decoder = {
  name: "header fields of the gateway",
  weight: 60,
  samples: samplesOf(
    "Connection\nclose, X-A\nX-A\n1\nTrailer\nX",
    "Transfer-Encoding\nchunked\nSet-Cookie\na=b\nSet-Cookie\nc=d",
    "Proxy-Authorization\nx\nX-\u00ff\n\u00e9",
  ),
  read(input) {
    const text = input.toString("latin1");
    const kept = cleanHeaders(text.split("\n"));
    for (const [place, part] of (kept ?? []).entries())
      must(
        place % 2 === 0 ? /^[!#-'*+\-.^-`|~\w]+$/.test(part) : !/[\r\n\0]/.test(part),
        "names and values that may be sent",
      );
    must(!/[\r\n]/.test(cleanReason(text) ?? ""), "a status text on one line");
    isFinalStatus(Number(text));
  },
};
