import { type Agent, type ClientRequest, type IncomingMessage, request as send, type ServerResponse } from "node:http";
import { type Duplex, pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { isRetryableStatus } from "../shared/domain/connection/is-retryable-status.ts";
import type { CallAnswer, CallAsked, CallEnded, GatewayRun, OpenConnection } from "../shared/schemas/gateway.ts";
import { askedOfPerson, asksPerson } from "./call-approval.ts";
import type { WorkerClient } from "./worker-client.ts";
import { unansweredCall } from "../shared/domain/connection/unanswered-call.ts";
import { cleanHeaders, cleanReason, isFinalStatus } from "./clean-headers.ts";
import type { TlsEnds } from "./end-tls.ts";
import { formsOf, hasForeignKey, secretField, withheld, withoutKey } from "./credentials.ts";
import { findAtHost, findConnection, type FoundConnection } from "./find-connection.ts";
import { answerOf, bodyLength, isPlainlyChunked, sendBody } from "./forward-request.ts";
import type { GatewayLimits } from "./limits.ts";
import { overridesMethod } from "./method-override.ts";
import { googleMasks, keepsUsage } from "./meter/google-parameters.ts";
import { meterAnswer } from "./meter/meter-response.ts";
import { saysNamesTwice } from "./meter/names-twice.ts";
import { prepareBody, type Protocol, protocolOf, readRequestBounds, readRequest } from "./meter/protocol.ts";
import { readBody } from "./meter/read-body.ts";
import { bodyLimits } from "./limits.ts";
import type { BufferLimit } from "./buffer-limits.ts";
import { createPieceRunner, type TimeSlice } from "./share-event-loop.ts";
import type { Target } from "./parse-target.ts";
import { NotReached, type Services } from "./open-services.ts";
import { recordOf } from "./record/call-key.ts";
import { recordAnswer } from "./record/record-response.ts";
import { isKeptStatus, keptAnswer, replayAnswer } from "./record/replay-answer.ts";
import { redactBytes, redactText } from "./redact-bytes.ts";
import { answerOfRefusal, type CallRefusal, refuseCall } from "./show-refusal.ts";

/** `target`: the service's own address, where the client has called by it; null for an address of the gateway. */
export type Call = { req: IncomingMessage; res: ServerResponse; path: string; target: Target | null };

/** Whose call it is, and by which connections to services it goes. */
export type Caller = {
  run: GatewayRun;
  tls: TlsEnds;
  services: Services;
  desk: Pick<WorkerClient, "keep" | "leave" | "end">;
  /** `gone`: aborted when the client has left. */
  ask(asked: CallAsked, gone: AbortSignal): Promise<{ call: number; answer: CallAnswer }>;
};

/** What one sandbox's calls may hold, and their turns. `readings`: calls whose clients have gone, the oldest first. */
export type Share = { requests: BufferLimit; answers: BufferLimit; turn: TimeSlice; readings: Set<ClientRequest> };
type Shares = { limits: GatewayLimits; share: Share };

/** Sends a call to its connection's service, with the real key, and the answer back, without it. */
export async function serveCall(call: Call, caller: Caller | null, shares: Shares): Promise<void> {
  const { req, res } = call;
  if (!caller) return refuseCall(res, null, noRun);
  const onward = readTarget(call, caller.run, shares.limits);
  if ("refusal" in onward) return refuseCall(res, onward.preset, onward.refusal);
  const { preset } = onward.connection;
  const { isAsked } = onward;
  const protocol = protocolOf(onward.connection, req.method, onward.url.pathname);
  const body = protocol === null && !isAsked ? null : await readBody(req, shares.share.requests);
  if (body && "status" in body) return refuseCall(res, preset, { ...body, code: codeOfUnread[body.status] });
  try {
    await sendCall(call, caller, { ...onward, protocol, bytes: body?.bytes ?? null }, shares);
  } finally {
    body?.release();
  }
}

const codeOfUnread = { 400: "invalid_request_error", 413: "too_large", 503: "unavailable" } as const;

/** `isAsked`: a person decides whether it leaves. */
type Destination = ForwardTarget & { connection: OpenConnection; isAsked: boolean };
/** `bytes`: its body, where that is read before it leaves. */
type Request = Destination & { protocol: Protocol | null; bytes: Buffer | null };

/** Returns where a call goes, or why it doesn't. */
function readTarget(
  call: Call,
  run: GatewayRun,
  limits: GatewayLimits,
): Destination | { refusal: CallRefusal; preset: OpenConnection["preset"] } {
  const { target, path, req } = call;
  if (target && !meansHost(req, target)) return { refusal: misdirected, preset: null };
  const found = target ? findAtHost(target, path, run) : findConnection(path, run);
  if ("reason" in found) return { refusal: { status: 404, code: "no_connection", reason: found.reason }, preset: null };
  const { connection } = found;
  const refused = (refusal: CallRefusal) => ({ refusal, preset: connection.preset });
  const onward = readCall(call, found, limits);
  if ("status" in onward) return refused(onward);
  const isAsked = asksPerson(req, onward.url, run);
  return typeof isAsked === "boolean" ? { ...onward, connection, isAsked } : refused(isAsked);
}

/** True when a call's `Host` is the host that its connection was opened to. */
function meansHost({ headers }: IncomingMessage, { host, port }: Target): boolean {
  const named = (headers.host ?? "").toLowerCase();
  return named === host.toLowerCase() || named === `${host.toLowerCase()}:${port}`;
}

const misdirected: CallRefusal = {
  status: 421,
  code: "misdirected_request",
  reason: "The call's Host isn't the host that the connection was opened to.",
};

/** Asks whether the call may leave, sends it, passes its answer on, and tells of its end. */
async function sendCall(call: Call, caller: Caller, request: Request, shares: Shares): Promise<void> {
  const { req, res } = call;
  const { connection, bytes } = request;
  const turn = turnsFor(bytes, shares);
  const json = bytes && (await turn(() => readRequest(bytes)));
  const asked = await turn(() => askedOf(req, request, json));
  const refusal = asked.is_deferred ? inBackground : unreadable;
  if (asked.is_deferred || (request.protocol !== null && json === null))
    return refuseCall(res, connection.preset, refusal);
  const gone = new AbortController();
  res.once("close", () => gone.abort());
  const asking = caller.ask(asked.call, gone.signal);
  const onward = { ...request, agent: caller.services.agentOf(request.url) };
  const send = (body: Buffer | null): SentCall => sendOnward(req, { ...onward, body }, shares.limits);
  const early = leavesAtOnce(request) ? send(bytes) : null;
  try {
    const { call: id, answer: may } = await asking;
    if (may.kind === "refused") return refuseCall(res, connection.preset, may);
    const prepared = await turn(() => prepare(request, json, may));
    const leave = (): SentCall => early ?? send(prepared.body);
    await finishCall(call, { ...request, ...prepared, id, may, leave }, { caller, ...shares });
  } finally {
    early?.request.destroy();
  }
}

/** Long requests are read in turns. */
const turnsFor = (bytes: Buffer | null, { share }: Shares): TimeSlice =>
  bytes !== null && bytes.length > bodyLimits.inTurns ? share.turn : async (act) => act();

type AdmittedCall = Request &
  PreparedBody & { id: number; may: Exclude<CallAnswer, { kind: "refused" }>; leave: () => SentCall };

/** Sends a call that may leave, or gives its recorded answer. */
async function finishCall({ req, res }: Call, leaving: AdmittedCall, way: CallContext): Promise<void> {
  const { connection, protocol, dropsUsage, length, id, may, leave } = leaving;
  const request_bytes = length ?? Number(req.headers["content-length"] ?? 0);
  const ended: CallEnded = { ...unansweredCall, request_bytes };
  try {
    // The client may have left while the call waited.
    if (res.destroyed || res.closed) return;
    if (may.kind === "recorded") return void Object.assign(ended, await replayAnswer(res, may.answer));
    const recording = may.entry_key === null ? null : id;
    const passing = { connection, protocol, dropsUsage, recording, isAsked: leaving.isAsked };
    Object.assign(ended, await passAnswer(leave(), res, passing, way));
  } finally {
    way.caller.desk.end(id, ended);
  }
}

/** True for a call without a limit or an approval: it is sent before the worker answers, which hears of it before the client has a byte. */
const leavesAtOnce = ({ connection, isAsked }: Request): boolean =>
  connection.preset === null &&
  !isAsked &&
  connection.requests_per_minute === null &&
  connection.tokens_per_minute === null;

type PreparedBody = { body: Buffer | null; dropsUsage: boolean; length: number | null };

/** Returns the body to send; null: as it comes. */
function prepare(
  { protocol, connection, bytes }: Request,
  json: ReturnType<typeof readRequest>,
  may: CallAnswer,
): PreparedBody {
  if (protocol === null || !json || may.kind !== "go")
    return { body: bytes, dropsUsage: false, length: bytes?.length ?? null };
  const { changed, dropsUsage } = prepareBody(protocol, json, { connection, output_most: may.output_most });
  const written = changed ?? (bytes && saysNamesTwice(bytes.toString("utf8"), json) ? json : null);
  const body = written ? Buffer.from(JSON.stringify(written)) : bytes;
  return { body, dropsUsage, length: body?.length ?? null };
}

type OutgoingCall = ForwardTarget & { agent: Agent; body: Buffer | null };

/** A call that has left. `answer`: the head of its answer; null when none comes: `fault` says why. */
type SentCall = { request: ClientRequest; answer: Promise<IncomingMessage | null>; fault: () => unknown };

function sendOnward(
  req: IncomingMessage,
  { agent, url, headers, body }: OutgoingCall,
  limits: GatewayLimits,
): SentCall {
  const sent = send({
    agent,
    host: url.hostname,
    method: req.method,
    path: url.pathname + url.search,
    headers: [...headers, ...framing(req, body)],
    setHost: false,
    maxHeaderSize: limits.headerBytes,
  });
  sent.maxHeadersCount = 0;
  let fault: unknown = null;
  sent.once("error", (error) => (fault = error));
  const answer = answerOf(sent, limits);
  if (body) sent.end(body);
  else sendBody(req, sent);
  return { request: sent, answer, fault: () => fault };
}

function framing(req: IncomingMessage, body: Buffer | null): string[] {
  const length = body && body.length > 0 ? String(body.length) : req.headers["content-length"];
  return length === undefined ? bodyLength(req) : ["content-length", length];
}

/** Its answer's length could not be bounded: a run could spend beyond its budget. */
const unreadable: CallRefusal = {
  status: 400,
  code: "not_metered",
  reason: `What the request may cost isn't known: it is no JSON object, or one with more than ${bodyLimits.depth} levels or ${bodyLimits.values} values.`,
};

const inBackground: CallRefusal = {
  status: 400,
  code: "not_metered",
  reason: "An answer in the background can't be metered. Leave `background` out.",
};

function askedOf(
  req: IncomingMessage,
  { url, connection, protocol, isAsked, bytes }: Request,
  json: Record<string, unknown> | null,
): { call: CallAsked; is_deferred: boolean } {
  const unread = {
    ...{ model: null, other_models: [], input_most: bytes?.length ?? 0 },
    ...{ output_most: null, choices: 1, is_deferred: false },
  };
  const { is_deferred, ...asked } = protocol && json ? readRequestBounds(protocol, json, url.pathname) : unread;
  const method = req.method ?? "GET";
  const is_spending = connection.preset !== null && protocol === null && !["GET", "HEAD", "DELETE"].includes(method);
  const where = { connection: connection.name, method, host: url.host, path: url.pathname.slice(0, 500) };
  const record = protocol && json ? recordOf(method, url, json) : null;
  const call = { ...where, ...asked, is_metered: protocol !== null, is_spending, record, approval: null };
  return { call: isAsked && bytes ? askedOfPerson(call, req, url, bytes) : call, is_deferred };
}

const noRun: CallRefusal = {
  status: 403,
  code: "no_run",
  reason: "No run of this sandbox has connections now. The agent's config names them in `connections`.",
};

const ownKey: CallRefusal = {
  status: 401,
  code: "foreign_key",
  reason:
    "The call brings a key of its own. Send the one in the environment: the gateway replaces it with the connection's.",
};

type ForwardTarget = { url: URL; headers: string[] };

function readCall(
  { req }: Call,
  { connection, url }: FoundConnection,
  limits: GatewayLimits,
): ForwardTarget | CallRefusal {
  const refused = (status: number, reason: string): CallRefusal => ({ status, code: "invalid_request_error", reason });
  if ((req.url ?? "").length > limits.urlLength) return refused(414, "The URL is too long.");
  if (req.rawHeaders.length > 2 * limits.headers) return refused(431, "There are too many header fields.");
  if (!isPlainlyChunked(req)) return refused(501, "A transfer coding besides chunked isn't passed on.");
  const bare = withoutKey(url, connection);
  if (!bare || hasForeignKey(req.rawHeaders, connection)) return ownKey;
  const disguise = findDisguise(req, connection, bare);
  if (disguise) return refused(400, disguise);
  const masks = connection.preset === null ? [] : googleMasks;
  const without = ["host", "accept-encoding", "content-length", ...masks, ...withheld(connection)];
  const kept = cleanHeaders(req.rawHeaders, without);
  if (!kept) return refused(400, "A header field can't be passed on.");
  const headers = ["host", bare.host, ...kept, "accept-encoding", "identity", ...secretField(connection)];
  return { url: bare, headers };
}

/** Returns what would hide from the gateway what a call to a preset's service costs; null: nothing does. */
function findDisguise({ method, rawHeaders }: IncomingMessage, connection: OpenConnection, url: URL): string | null {
  if (connection.preset === null) return null;
  if (overridesMethod(rawHeaders, url))
    return "The call must not override its method. Send it with the method that it means.";
  const hides = protocolOf(connection, method, url.pathname) === "google" && !keepsUsage(url);
  return hides ? "Of an address's parameters only `alt=sse` and `alt=json` are passed on here." : null;
}

/** `recording`: the call's number, where its answer is kept. */
type AnswerRelay = Pick<AdmittedCall, "connection" | "protocol" | "dropsUsage" | "isAsked"> & {
  recording: number | null;
};
type Read = Omit<CallEnded, "request_bytes" | "is_lost">;
type CallContext = Shares & { caller: Caller };

/** Returns what was read of the answer when it has been passed on, or was cut. */
async function passAnswer(
  call: SentCall,
  res: ServerResponse,
  passing: AnswerRelay,
  way: CallContext,
): Promise<Partial<CallEnded>> {
  const { request: sent } = call;
  const { connection, recording } = passing;
  const { desk, services } = way.caller;
  // A call that is recorded goes on without its client: what is paid is read to its end.
  res.once("close", () => {
    if (recording === null) sent.destroy();
    else if (!res.writableFinished) desk.leave(recording);
  });
  const passed = receive(call, res, passing, way);
  if (recording === null) cutWith(services.signal, sent, passed);
  else services.hold(boundReading(passed, { sent, res }, way));
  const { preset, name } = connection;
  const read = await passed;
  if (!("fault" in read)) return read;
  const { fault } = read;
  // A service that was reached may have worked for a call that it didn't answer.
  const is_lost = !(fault instanceof NotReached);
  if (res.destroyed) return { is_lost };
  const [status, reason] = is_lost ? [502, reasonOf(fault, name)] : [fault.status, fault.message];
  const refusal = { status, code: "connection_failed", reason };
  refuseCall(res, preset, refusal);
  return { is_lost, failed: recording === null ? null : answerOfRefusal(preset, refusal) };
}

const unfit = new Error("The answer can't be passed on.");
const reasonOf = (fault: unknown, name: string): string =>
  fault === unfit ? unfit.message : `The service of '${name}' didn't answer.`;

/** How long an answer is read for a client that has gone. */
const readingMs = 60_000;

/** Ends a call with its run. */
function cutWith(signal: AbortSignal, sent: ClientRequest, passed: Promise<unknown>): void {
  const cut = (): void => void sent.destroy();
  signal.addEventListener("abort", cut, { once: true });
  const forget = (): void => signal.removeEventListener("abort", cut);
  passed.then(forget, forget);
}

/** Ends a reading some time after its client has gone, or when others whose clients have gone too are too many. */
async function boundReading(
  reading: Promise<unknown>,
  { sent, res }: { sent: ClientRequest; res: ServerResponse },
  { share: { readings }, limits }: CallContext,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    // The client has the whole answer: it closes before the reading has told so.
    if (res.writableFinished) return;
    timer = setTimeout(() => sent.destroy(), readingMs);
    readings.add(sent);
    const [oldest] = readings;
    if (!oldest || readings.size <= limits.readings) return;
    readings.delete(oldest);
    oldest.destroy();
  };
  res.once("close", begin);
  await reading.catch(() => undefined);
  res.off("close", begin);
  clearTimeout(timer);
  readings.delete(sent);
}

async function receive(
  { request: sent, answer: answering, fault }: SentCall,
  res: ServerResponse,
  { connection, protocol, dropsUsage, recording, isAsked }: AnswerRelay,
  { caller, limits, share }: CallContext,
): Promise<Read | { fault: unknown }> {
  const answer = await answering;
  if (!answer) return { fault: fault() };
  const forms = formsOf(connection);
  const body = plainBody(answer);
  const head = headOf(answer, forms, limits);
  if (!body || !head) {
    sent.destroy();
    return { fault: unfit };
  }
  writeHead(res, answer, head, forms);
  const { status } = head;
  const isStream = (answer.headers["content-type"] ?? "").toLowerCase().startsWith("text/event-stream");
  const pace = createPieceRunner(share.turn);
  const { stream, reading } = meterAnswer({ protocol: status < 300 ? protocol : null, isStream, dropsUsage, pace });
  const source = pipeline(body, stream, redactBytes(forms, pace), () => undefined);
  const { fields } = head;
  const passed =
    recording === null
      ? passOn(source, res).then((isDelivered) => ({ isDelivered, failed: null }))
      : recordAnswer(source, res, {
          isStream,
          // What a person has let go is not to be done again because other answers are held now.
          room: isAsked ? anyRoom : share.answers,
          isFinished: () =>
            reading.isWhole && (isAsked ? !isRetryableStatus(status) : !reading.isFailed && isKeptStatus(status)),
          keep: (bytes) => {
            const keep = (): Promise<boolean> => caller.desk.keep(recording, keptAnswer(status, fields, bytes));
            return bytes.length > bodyLimits.inTurns ? share.turn(keep) : keep();
          },
        }).catch(() => {
          res.destroy();
          return { isDelivered: false, failed: null };
        });
  const { isDelivered, failed } = await passed;
  sent.destroy();
  const { bytes: response_bytes, model, usage, pieces, isWhole: is_whole } = reading;
  return {
    ...{ status, response_bytes, model, usage, pieces, is_whole, is_delivered: isDelivered },
    failed: failed && keptAnswer(status, fields, failed),
  };
}

const passOn = (source: Readable, res: ServerResponse): Promise<boolean> =>
  new Promise((resolve) => {
    pipeline(source, res, (error) => resolve(!error));
  });

const anyRoom: BufferLimit = { take: () => true, giveBack: () => undefined };

/** Returns an answer's body without its content coding, in which a key couldn't be found; null for a coding that nobody asked for. */
function plainBody(answer: IncomingMessage): Readable | null {
  const coding = (answer.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (coding === "identity" || coding === "") return answer;
  const decoder = decoders.get(coding)?.();
  return decoder ? pipeline(answer, decoder, () => undefined) : null;
}

const decoders = new Map<string, () => Duplex>([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/** Fields of an answer that aren't passed on. The length may change, since a key that the service echoes is replaced. */
const withheldOfAnswer = ["set-cookie", "content-length", "content-encoding", "alt-svc"];

type Head = { status: number; fields: string[] };

/** Returns what is passed on of an answer's head; null when it may not be. */
function headOf(
  { statusCode, rawHeaders, headers: read }: IncomingMessage,
  forms: readonly string[],
  { headers: most }: GatewayLimits,
): Head | null {
  if (!isFinalStatus(statusCode) || rawHeaders.length > 2 * most) return null;
  if (!["", "chunked"].includes((read["transfer-encoding"] ?? "").trim().toLowerCase())) return null;
  const fields = cleanHeaders(rawHeaders, withheldOfAnswer);
  return fields && { status: statusCode, fields: withoutEchoes(fields, forms) };
}

/** A field whose name holds the key is left out. */
function withoutEchoes(fields: readonly string[], forms: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [name = "", value = ""] = [fields[at], fields[at + 1]];
    if (redactText(name, forms) === name) kept.push(name, redactText(value, forms));
  }
  return kept;
}

function writeHead(
  res: ServerResponse,
  answer: IncomingMessage,
  { status, fields }: Head,
  forms: readonly string[],
): void {
  if (res.destroyed || res.closed) return;
  const reason = cleanReason(answer.statusMessage);
  res.sendDate = false;
  // The rest of an unread body would be read as the next request on this connection.
  const last = !res.req.complete ? ["connection", "close"] : [];
  const all = [...fields, ...last];
  if (reason === undefined) res.writeHead(status, all);
  else res.writeHead(status, redactText(reason, forms), all);
}
