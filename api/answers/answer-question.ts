import { z } from "zod";
import { AppError } from "../../shared/domain/errors/app-error.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import { covers } from "../../shared/schemas/scope.ts";
import { type ResumeDeps, resumeRun } from "../../shared/services/runs/resume-run.ts";
import type { AskedQuestion } from "../../shared/store/runs/questions/read-question.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { closedPage, type Draft, pageAnswer, questionPage, unknownPage } from "./answer-page.ts";
import { findQuestion } from "./find-question.ts";
import type { FormField } from "./form-fields.ts";
import { nameOf, questionForm } from "./question-form.ts";
import { readForm } from "./read-form.ts";
import { answerParams, unknown } from "./show-question.ts";

/** A filled in form. */
const most = { most_bytes: 256 * 1024, most_ms: 15_000 };
/** More fields than any form of ours has. */
const mostFields = 500;

type Deps = ResumeDeps & Pick<ApiContext, "config" | "guards">;

export const answerQuestion = defineOperation({
  method: "post",
  path: "/answer/{token}",
  name: "answer_question",
  area: "Runs",
  scope: "public",
  audit: { none: "It is recorded here, under the name that the person gives." },
  ignores: "unknown_input",
  summary: "Answer a run's question by its page",
  description:
    "What the form of the page sends: `application/x-www-form-urlencoded`. The first answer counts and resumes the run; 303 leads back to the page, which says who answered. Another answer is a 409 with that page, and an incomplete one a 422 with the form. An agent whose config has `answer_page: key` asks for an API key of the run's owner with the scope runs:write, too.",
  request: { params: answerParams, query: z.looseObject({}) },
  rawBody: most,
  errors: ["rate_limited", "dependency_unavailable"],
  responses: {
    303: { description: "The answer counts; the page says so" },
    404: unknown,
    409: { description: "The page, which says who has answered or why nobody can", content_type: "text/html" },
    422: { description: "The page with what was sent and what is missing or wrong", content_type: "text/html" },
  },
  async handle(ctx: Deps, { params: { token }, body, ip, request_id }) {
    await ctx.guards.limiter.count(`ip:${ip}`);
    const question = await findQuestion(ctx, token);
    if (!question) return pageAnswer(404, unknownPage());
    if (!question.is_open) return pageAnswer(409, closedPage(question, true));
    const sent = readFields(body);
    const tried = await tryAnswer(ctx, question, { sent, ip: ip ?? null, request_id });
    if (tried === "answered") return seeAgain(token);
    if (tried !== "closed") return pageAnswer(422, questionPage(question, question.answer_page === "key", tried));
    const now = await findQuestion(ctx, token);
    return now ? pageAnswer(409, closedPage(now, true)) : pageAnswer(404, unknownPage());
  },
});

/** The browser opens the page again, so that a reload of what it shows sends nothing. The address stays valid under any prefix. */
const seeAgain = (token: string) => {
  const { headers, ...empty } = pageAnswer(303, unknownPage());
  return { ...empty, text: "", headers: { ...headers, Location: `./${token}` } };
};

function readFields(body: Buffer): URLSearchParams {
  const text = body.toString("utf8");
  return new URLSearchParams(text.split("&", mostFields).join("&"));
}

type Sent = { sent: URLSearchParams; ip: string | null; request_id: string };

/** Answers a question as a form says. Returns what is to be corrected, or `closed` when somebody else was faster. */
async function tryAnswer(
  deps: Deps,
  question: AskedQuestion,
  { sent, ip, request_id }: Sent,
): Promise<"answered" | "closed" | Draft> {
  const refused = (name: string, sentence: string): Draft => ({ sent, faults: new Map([[name, sentence]]) });
  const read = readForm(questionForm(question), sent);
  if ("faults" in read) return { sent, faults: read.faults };
  const actor = question.answer_page === "key" ? await keyOf(deps, question, { sent, ip }) : "answer page";
  if (actor === null) return refused("key", "This is no valid API key of the run's owner with the scope runs:write.");
  const answered_by = signedBy(actor, sent.get("name"));
  const { run_id, interrupt_id, user_id } = question;
  try {
    await resumeRun(deps, { run_id, interrupt_id, response: read.response, answered_by }, null);
  } catch (error) {
    if (error instanceof ValidationFault) return { sent, faults: faultsOf(question, error) };
    if (error instanceof AppError && (error.kind === "conflict" || error.kind === "not_found")) return "closed";
    throw error;
  }
  const target = { user_id, target_type: "run", target_id: run_id };
  const act = { actor, action: "answer_question", ...target, request_id, ip, detail: { interrupt_id, answered_by } };
  await deps.guards.audit(act);
  return "answered";
}

/** Returns the name of the key that a person has entered. Null: it is not one that may resume the run. */
async function keyOf(
  { guards }: Deps,
  { user_id }: AskedQuestion,
  { sent, ip }: Pick<Sent, "sent" | "ip">,
): Promise<string | null> {
  const key = sent.get("key") ?? "";
  const credentials = {
    authorization: `Bearer ${key}`,
    apiKey: undefined,
    token: undefined,
    session: { kind: "none" },
  } as const;
  const caller = await guards.authenticate(credentials).catch(async (error: unknown) => {
    if (!(error instanceof AppError) || error.kind !== "unauthorized") throw error;
    // Guesses of keys are limited by address.
    await guards.limiter.count(`ip:${ip}`, { requests: 10 });
    return null;
  });
  if (!caller || caller.run_id !== null || !covers(caller.scopes, "runs:write")) return null;
  return caller.owner === null || caller.owner === user_id ? caller.actor : null;
}

/** Who answered, as it is shown: whoever has the address may enter any name, so the name stands behind how it came. */
function signedBy(actor: string, name: string | null): string {
  const given = (name ?? "").replaceAll(/[\p{C}\s]+/gu, " ").trim();
  return given === "" ? actor : `${actor} (${[...given].slice(0, 80).join("")})`;
}

/** Puts the faults of an answer to the fields that they are about; those of no field belong to the whole form, under an empty name. */
function faultsOf(question: AskedQuestion, { detail }: ValidationFault): Draft["faults"] {
  const form = questionForm(question);
  const names = form.verdict ? [] : namesOf(form.field);
  const faults: Draft["faults"] = new Map();
  for (const { loc, msg } of detail) {
    const path = loc.slice(2).map(String);
    // The nearest field that holds the place: an answer in JSON has faults within.
    const holders = path.map((_, at) => nameOf({ path: path.slice(0, path.length - at) }));
    const name = [...holders, nameOf({ path: [] })].find((one) => names.includes(one));
    if (name !== undefined) faults.set(name, msg);
    else faults.set("", [faults.get(""), [...path, msg].join(": ")].filter(Boolean).join(" "));
  }
  return faults;
}

const namesOf = (field: FormField): string[] =>
  field.kind === "group" ? field.fields.flatMap(namesOf) : [nameOf(field)];
