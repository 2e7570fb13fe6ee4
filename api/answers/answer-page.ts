import { createHash } from "node:crypto";
import type { AskedQuestion } from "../../shared/store/runs/questions/read-question.ts";
import { Html, markup } from "./markup.ts";
import { questionForm } from "./question-form.ts";
import type { FormFaults } from "./read-form.ts";
import { renderForm } from "./render-form.ts";

/** Longer messages are cut: a person reads a page, no file. */
const mostMessage = 20_000;

const style = `
:root { color-scheme: light dark; --line: #767676; --soft: #5c5c5c; --bad: #b3261e; --back: #fff; --text: #1b1b1f; --own: #0b57d0; --on-own: #fff; --shown: #f3f3f6 }
@media (prefers-color-scheme: dark) { :root { --line: #8e8e93; --soft: #b4b4bb; --bad: #ffb4ab; --back: #16161a; --text: #ececf0; --own: #a8c7fa; --on-own: #062e6f; --shown: #222228 } }
* { box-sizing: border-box }
body { margin: 0; overflow-wrap: anywhere; background: var(--back); color: var(--text); font: 1rem/1.5 system-ui, sans-serif }
main { max-width: 42rem; margin: 0 auto; padding: 2rem 1rem 4rem }
h1 { font-size: 1.4rem; line-height: 1.3 }
.soft, .hint { color: var(--soft) }
.hint, .fault { display: block; font-size: .9rem }
.fault { color: var(--bad); font-weight: 600 }
.shown { unicode-bidi: isolate; white-space: pre-wrap; background: var(--shown); border-inline-start: .25rem solid var(--line); padding: .75rem 1rem; margin: 1rem 0 }
label, legend { font-weight: 600; unicode-bidi: isolate }
.options label { display: block; font-weight: 400; padding: .25rem 0 }
.field, fieldset { margin: 1.25rem 0 }
fieldset { border: 1px solid var(--line); border-radius: .4rem; min-width: 0 }
input:not([type=radio]):not([type=checkbox]), textarea, select { width: 100%; font: inherit; color: inherit; background: var(--back); border: 1px solid var(--line); border-radius: .4rem; padding: .5rem .6rem }
textarea { min-height: 5rem } textarea.code { font-family: ui-monospace, monospace }
[aria-invalid=true] { border-color: var(--bad) !important }
button { font: inherit; font-weight: 600; padding: .6rem 1.4rem; margin: .5rem .75rem .5rem 0; border-radius: .4rem; border: 2px solid var(--own); background: var(--own); color: var(--on-own); cursor: pointer }
button.second { background: var(--back); color: var(--own) }
:focus-visible { outline: 3px solid var(--own); outline-offset: 2px }
[role=alert] { border: 2px solid var(--bad); border-radius: .4rem; padding: .25rem 1rem; margin: 1rem 0 }
`;

/** No script, no image, no frame, nothing from elsewhere; a form goes to this service only. */
const policy =
  "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`;

/** The path is the right to answer: nobody is to learn it from this page, and no search engine or cache is to keep it. */
const headers = {
  "Content-Security-Policy": policy,
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-store",
  "X-Robots-Tag": "noindex, nofollow",
};

/** Returns an answer with a page. */
export const pageAnswer = (status: number, page: Html) => ({
  status,
  content_type: "text/html; charset=utf-8",
  text: page.text,
  headers,
});

const page = (title: string, body: Html): Html => markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Html(style)}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;

/** A time as everybody reads it, wherever they are. */
const timeOf = (at: Date): Html => {
  const text = at.toLocaleString("en-GB", { dateStyle: "long", timeStyle: "short", timeZone: "UTC" });
  return markup`<time datetime="${at.toISOString()}">${text} UTC</time>`;
};

/** What a person has sent before, to be corrected. */
export type Draft = { sent: URLSearchParams; faults: FormFaults };

/** The page of an open question: what the agent asks, and a form for the answer. */
export function questionPage(question: AskedQuestion, needsKey: boolean, draft: Draft | null): Html {
  const { agent_id, message, asked_at, expires_at } = question;
  const expiry = expires_at && markup` It can be answered until ${timeOf(expires_at)}.`;
  return page(
    "A question of an agent",
    markup`<h1>The agent <bdi>${agent_id}</bdi> asks</h1>
${draft && draft.faults.size > 0 ? faultList(draft.faults) : null}
<p class="soft">It has waited since ${timeOf(asked_at)}.${expiry} The first answer counts.</p>
${shownMessage(message)}
${renderForm(questionForm(question), { needsKey, draft })}`,
  );
}

function shownMessage(message: string | null): Html {
  if (message === null || message.trim() === "") return markup`<p>The agent has written no text for its question.</p>`;
  const cut = message.length > mostMessage;
  return markup`<div class="shown" dir="auto">${message.slice(0, mostMessage)}${cut ? " …" : ""}</div>
${cut ? markup`<p class="soft">The rest of the text is too long for this page.</p>` : null}`;
}

const faultList = (faults: FormFaults): Html =>
  markup`<div role="alert"><p>The answer was not sent: ${faults.size === 1 ? "one thing is" : `${faults.size} things are`} missing or wrong.</p>
${faults.has("") ? markup`<p class="fault">${faults.get("") ?? ""}</p>` : null}</div>`;

/** The page of a question that takes no answer any more. `late`: of somebody who has just sent one. */
export function closedPage(question: AskedQuestion, late: boolean): Html {
  const { agent_id, message } = question;
  const about = markup`<p class="soft">The question of the agent <bdi>${agent_id}</bdi>:</p>
${shownMessage(message)}`;
  const yours = late ? markup`<p>Your answer came later and does not count.</p>` : null;
  return page(
    "A question of an agent",
    markup`${outcomeOf(question)}
${yours}
${about}`,
  );
}

function outcomeOf({ answered_at, answered_by, status }: AskedQuestion): Html {
  if (answered_at)
    return markup`<h1>The question is answered</h1>
<p>Answered by <bdi>${answered_by ?? "somebody"}</bdi> on ${timeOf(answered_at)}.</p>`;
  const ended = status === "cancelled" ? "The run was cancelled." : "Its time is over, or its run has ended.";
  return markup`<h1>The question is closed</h1>
<p>Nobody has answered it. ${ended}</p>`;
}

/** The page of an address that is none. It tells nothing about what there is. */
export const unknownPage = (): Html =>
  page(
    "No question here",
    markup`<h1>There is no question at this address</h1>
<p>The address may be incomplete, or what it belonged to was deleted. Open the whole link from the message again.</p>`,
  );
