import { questionForm } from "../../api/answers/question-form.ts";
import { readForm } from "../../api/answers/read-form.ts";
import { renderForm } from "../../api/answers/render-form.ts";
import { dedupeKeyOf, eventOf, handshakeOf, readDelivery } from "../../api/hooks/read-delivery.ts";
import { requestOfDelivery } from "../../api/hooks/request-of-delivery.ts";
import { signalOfDelivery } from "../../api/hooks/signal-of-delivery.ts";
import { isSigned } from "../../api/hooks/verify-signature.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import { filterFault, type HookFilter, matchesFilter } from "../../shared/domain/hook/filter.ts";
import { templateFault } from "../../shared/domain/hook/template.ts";
import { deeperThan } from "../../shared/domain/json/measure-json.ts";
import { inputLimits } from "../../shared/domain/run/journal-limits.ts";
import { requestLimits } from "../../shared/domain/run/request-limits.ts";
import { readSignedPath, signPath } from "../../shared/platform/secrets/signed-path.ts";
import { hookSchemes } from "../../shared/schemas/hook.ts";
import { type Decoder, must, samplesOf, tryParse } from "./decoder.ts";

/* What comes in without a key: the doors for senders of webhooks and for people. */

const types = ["application/json", "application/x-www-form-urlencoded", "text/plain", "application/cloudevents+json"];
const now = new Date("2026-01-01T00:00:00Z");

const rules = {
  signature: null,
  filter: null,
  map: { a: "{/body/action}", all: "{/body}", text: "{/body/n} of {/headers/content-type}" },
  dedupe: "{/body/id}",
  thread: "t-{/body/n}",
  signal: null,
};
const signal = { run_id: "{/body/id}", name: "payment" };
const hook = { id: "hook_1", agent_id: "a", version: "current", runtime_mode: "standard" as const, rules };

export const hookDeliveries: Decoder = {
  name: "deliveries to hooks",
  weight: 60,
  samples: samplesOf(
    '{"action":"opened","id":"evt_1","n":7,"event":{"type":"message"},"list":[1,{"a":null}]}',
    '{"type":"url_verification","challenge":"3eZbrw1aB"}',
    "payload=%7B%22type%22%3A%22block_actions%22%7D",
    "command=%2Fask&text=hello+there&n=1",
    "just a text",
  ),
  read(body, random) {
    const type = types[random.below(types.length)] ?? "";
    const verify = hookSchemes[random.below(hookSchemes.length)] ?? "none";
    const headers = { "content-type": type, "x-github-event": body.toString("latin1").slice(0, 20) };
    const known = { verify, signature: null, secrets: ["whsec_c2VjcmV0IHNlY3JldCBzZWNyZXQ="], now };
    must(isSigned(body, headers, known) === (verify === "none"), "nobody has signed");
    try {
      const document = readDelivery({ headers, query: {}, body });
      const key = dedupeKeyOf(verify, rules.dedupe, document);
      must(key !== null && /^[\x20-\x7e]{1,200}$/.test(key), "a key that Postgres can index");
      must((eventOf(verify, document)?.length ?? 0) <= 128, "a short event type");
      must((handshakeOf(verify, document)?.text.length ?? 0) <= 512, "a short challenge");
      const said = signalOfDelivery({ ...rules, map: null, signal }, document);
      must(JSON.stringify(said?.payload ?? null).length <= inputLimits.payload_bytes, "a bounded signal");
      const request = requestOfDelivery(hook, { id: "delivery_1", run_id: "run_1" }, document);
      must(JSON.stringify(request.input_payload).length <= requestLimits.input_bytes * 2, "a bounded input");
    } catch (error) {
      if (!(error instanceof ValidationFault)) throw error;
    }
  },
};

const document = {
  headers: { "x-kind": "issue" },
  query: {},
  body: JSON.parse('{"action":"opened","__proto__":{"a":1},"list":[[1],{"b":"c"}]}') as unknown,
  body_sha256: "0".repeat(64),
};

export const hookRules: Decoder = {
  name: "hooks' filters and maps",
  weight: 60,
  samples: samplesOf(
    '{"/body/action":["opened","edited"],"/headers/x-kind":"issue","/body/list/1/b":{"not":null}}',
    '{"a":"{/body/list/0}","b":["{/body/__proto__} and {/body/constructor}"],"c":{"d":"{/headers/x-kind}"}}',
  ),
  read(input) {
    const map = readObject(input.toString());
    if (!map) return;
    if (filterFault(map) === null) matchesFilter(map as HookFilter, document);
    if (templateFault(map) !== null) return;
    requestOfDelivery({ ...hook, rules: { ...rules, map, thread: null } }, { id: "d", run_id: null }, document);
    must(!("a" in {}), "no prototype is changed");
  },
};

export const questionForms: Decoder = {
  name: "questions and answers of people",
  weight: 60,
  samples: samplesOf(
    '{"type":"object","required":["a"],"properties":{"a":{"enum":["x",1]},"b":{"type":"array","items":{"enum":["y"]}},"c":{"$ref":"#/$defs/C"}},"$defs":{"C":{"type":"object","properties":{"d":{"type":"string","default":"<b>"}}}}}',
    '{"anyOf":[{"type":"null"},{"type":"integer","minimum":1}],"title":"How many?"}',
    '{"type":["string","null"],"format":"email","maxLength":20}',
  ),
  read(input) {
    const text = input.toString();
    const response_schema = readObject(text);
    const form = questionForm({ reason: text, response_schema });
    const sent = new URLSearchParams({ "answer/": text, "answer/a": "0", "answer/b": text, verdict: "approve" });
    const shown = renderForm(form, { needsKey: true, draft: { sent, faults: new Map([["answer/", text]]) } }).text;
    must(!/<(?:script|img|a|b|style|iframe|svg)\b/i.test(shown), "what an agent shows is text");
    JSON.stringify(readForm(form, sent));
  },
};

const keyRing = [{ id: "k1", key: Buffer.alloc(32, 1) }];
const signed = signPath(keyRing, "answer", ["run_1", "int_1"]);

export const signedPaths: Decoder = {
  name: "signed paths",
  weight: 60,
  samples: samplesOf(signed, `${signed}.${signed}`, "k1..", "k1.W10.AA"),
  read(input) {
    const text = input.toString("latin1");
    const read = readSignedPath(keyRing, "answer", text);
    must((read !== null) === (text === signed), "only what was signed is read");
  },
};

/** Returns an object of a JSON text that is no deeper than requests and agents' frames may be; else null. */
function readObject(text: string): Record<string, unknown> | null {
  const value = deeperThan(text, requestLimits.json_depth) ? null : tryParse(text);
  return typeof value === "object" && !Array.isArray(value) ? (value as Record<string, unknown> | null) : null;
}
