import type { FormField } from "./form-fields.ts";
import { type Html, markup } from "./markup.ts";
import { nameOf, type QuestionForm } from "./question-form.ts";
import type { FormFaults } from "./read-form.ts";

type Options = {
  /** Whether only somebody with an API key may answer. */
  needsKey: boolean;
  /** What was sent before, to be corrected. */
  draft: { sent: URLSearchParams; faults: FormFaults } | null;
};

/** Up to so many options are shown at once. */
const mostShown = 6;

/** Returns the form of a question. It is sent to the page's own address. */
export function renderForm(form: QuestionForm, options: Options): Html {
  return markup`<form method="post" autocomplete="off">
${form.verdict ? renderField(form.reason, options) : renderField(form.field, options)}
${renderName(options)}
${options.needsKey ? renderKey(options) : null}
${form.verdict ? verdictButtons : markup`<button type="submit">Send the answer</button>`}
</form>`;
}

const verdictButtons = markup`<button type="submit" name="verdict" value="approve">Approve</button>
<button type="submit" name="verdict" value="deny" class="second">Deny</button>`;

const renderName = ({ draft }: Options): Html =>
  markup`<div class="field"><label for="name">Your name</label>
<input id="name" name="name" type="text" maxlength="80" autocomplete="name" value="${draft?.sent.get("name") ?? ""}" aria-describedby="name-hint">
<span class="hint" id="name-hint">May stay empty. Others who open this address see who has answered.</span></div>`;

function renderKey({ draft }: Options): Html {
  const fault = draft?.faults.get("key");
  return markup`<div class="field"><label for="key">API key (needed)</label>
<input id="key" name="key" type="password" autocomplete="off" required maxlength="300" aria-describedby="key-hint${fault ? " key-fault" : ""}"${fault ? markup` aria-invalid="true"` : null}>
<span class="hint" id="key-hint">Of the run's owner, with the scope runs:write. It is used for this answer only.</span>
${fault ? markup`<span class="fault" id="key-fault">${fault}</span>` : null}</div>`;
}

/** What the controls of a field have in common. */
type Drawn = { id: string; name: string; described: Html; fault: string | undefined; sent: string[] | null };

function drawnOf(field: FormField, { draft }: Options): Drawn {
  const name = nameOf(field);
  const id = `f${Buffer.from(name).toString("hex").slice(0, 400)}`;
  const fault = draft?.faults.get(name);
  const notes = [field.hint === null ? null : `${id}-hint`, fault ? `${id}-fault` : null].filter(
    (note) => note !== null,
  );
  const described = markup`${notes.length > 0 ? markup` aria-describedby="${notes.join(" ")}"` : null}${fault ? markup` aria-invalid="true"` : null}`;
  return { id, name, described, fault, sent: draft ? draft.sent.getAll(name) : null };
}

function renderField(field: FormField, options: Options): Html {
  const drawn = drawnOf(field, options);
  if (field.kind === "group") return renderGroup(field, options, drawn);
  const isList = field.kind === "choices" || (field.kind === "choice" && field.options.length <= mostShown);
  if (isList) return renderOptions(field, drawn);
  return markup`<div class="field"><label for="${drawn.id}">${labelOf(field)}</label>
${renderControl(field, drawn)}
${renderNotes(field, drawn)}</div>`;
}

const labelOf = ({ label, required }: FormField): string => (required ? `${label} (needed)` : label);

const renderNotes = ({ hint }: FormField, { id, fault }: Drawn): Html =>
  markup`${hint === null ? null : markup`<span class="hint" id="${id}-hint">${hint}</span>`}${
    fault ? markup`<span class="fault" id="${id}-fault">${fault}</span>` : null
  }`;

const renderGroup = (field: FormField & { kind: "group" }, options: Options, drawn: Drawn): Html =>
  markup`<fieldset id="${drawn.id}"><legend>${field.label}</legend>
${renderNotes(field, drawn)}
${field.fields.map((member) => renderField(member, options))}</fieldset>`;

type OfOptions = FormField & { kind: "choice" | "choices" };

function renderOptions(field: OfOptions, drawn: Drawn): Html {
  const { id, name, described, sent } = drawn;
  const initial = [field.initial].flat().filter((at) => at !== null);
  const chosen = sent ?? initial.map(String);
  const type = field.kind === "choices" ? "checkbox" : "radio";
  const needed = field.kind === "choice" && field.required ? markup` required` : null;
  return markup`<fieldset class="options" id="${id}"${described}><legend>${labelOf(field)}</legend>
${renderNotes(field, drawn)}
${field.options.map(
  (option, at) =>
    markup`<label><input type="${type}" name="${name}" value="${at}"${needed}${chosen.includes(String(at)) ? markup` checked` : null}> ${wordOf(option)}</label>
`,
)}</fieldset>`;
}

/** Returns how an option is shown. */
function wordOf(option: string | number | boolean | null): string {
  if (typeof option === "boolean") return option ? "Yes" : "No";
  return option === null ? "Nothing" : String(option).slice(0, 500);
}

type OfControl = Exclude<FormField, { kind: "group" | "choices" }>;

function renderControl(field: OfControl, { id, name, described, sent }: Drawn): Html {
  const about = markup`id="${id}" name="${name}"${described}${field.required ? markup` required` : null}`;
  if (field.kind === "choice") return renderList(field, about, sent);
  const value = sent?.[0] ?? field.initial;
  if (field.kind === "text") return renderText(field, about, value);
  if (field.kind === "number") return renderNumber(field, about, value);
  return markup`<textarea ${about} class="code" rows="8" spellcheck="false" placeholder="JSON">
${value}</textarea>`;
}

function renderList(field: FormField & { kind: "choice" }, about: Html, sent: string[] | null): Html {
  const chosen = sent?.[0] ?? (field.initial === null ? "" : String(field.initial));
  const options = field.options.map((option, at) => {
    const isChosen = chosen === String(at) ? markup` selected` : null;
    return markup`<option value="${at}"${isChosen}>${wordOf(option)}</option>`;
  });
  return markup`<select ${about}><option value="">Choose …</option>${options}</select>`;
}

function renderNumber({ whole, least, most }: FormField & { kind: "number" }, about: Html, value: string): Html {
  const step = whole ? 1 : "any";
  return markup`<input ${about} type="number" step="${step}"${limit("min", least)}${limit("max", most)} value="${value}">`;
}

function renderText({ format, most }: FormField & { kind: "text" }, about: Html, value: string): Html {
  const longest = limit("maxlength", most);
  // A browser leaves out the first line break of a textarea.
  if (format === "lines")
    return markup`<textarea ${about} rows="4"${longest}>
${value}</textarea>`;
  return markup`<input ${about} type="${format === "line" ? "text" : format}"${longest} value="${value}">`;
}

const limit = (name: "min" | "max" | "maxlength", value: number | null): Html | null =>
  value === null ? null : markup` ${name}="${value}"`;
