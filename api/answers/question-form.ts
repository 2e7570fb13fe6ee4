import { type FormField, formFields } from "./form-fields.ts";

/** What an agent asks. */
export type Question = { reason: string; response_schema: Record<string, unknown> | null };

const about = { path: [], label: "Your answer", hint: null, required: true };

/** The form of a question. `verdict`: two buttons and a reason, as chats have it for a tool that needs approval. */
export type QuestionForm = { verdict: true; reason: FormField } | { verdict: false; field: FormField };

const reason: FormField = {
  ...about,
  path: ["reason"],
  label: "Reason",
  required: false,
  kind: "text",
  format: "lines",
  most: 2_000,
  initial: "",
};

/** Without a schema of its own, the reason says whether the agent asks for an approval; else it gets a text. */
export function questionForm(question: Question): QuestionForm {
  const isApproval = /approv|confirm|permission/i.test(question.reason);
  if (question.response_schema && !(isApproval && isVerdict(question.response_schema)))
    return { verdict: false, field: formFields(question.response_schema) };
  if (isApproval) return { verdict: true, reason };
  const field: FormField = { ...about, kind: "text", format: "lines", most: 20_000, initial: "" };
  return { verdict: false, field };
}

/** True for the schema of what the two buttons give. */
function isVerdict({ required, properties }: Record<string, unknown>): boolean {
  if (!Array.isArray(required) || required.join() !== "approved" || typeof properties !== "object") return false;
  const { approved, reason: why, ...others } = { ...properties } as Record<string, { type?: unknown } | undefined>;
  return approved?.type === "boolean" && why?.type === "string" && Object.keys(others).length === 0;
}

/** The name of a field in the form: a JSON pointer, which no other field of the page begins like. */
export const nameOf = ({ path }: Pick<FormField, "path">): string =>
  `answer/${path.map((part) => part.replaceAll("~", "~0").replaceAll("/", "~1")).join("/")}`;
