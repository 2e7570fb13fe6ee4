// Asks a person whether an agent of a framework may call a tool.

/** @import { Context } from "./types.d.ts" */

const approvalSchema = {
  type: "object",
  required: ["approved"],
  properties: {
    approved: { type: "boolean", title: "Let the agent call this tool?" },
    reason: { type: "string", maxLength: 2_000, title: "Reason" },
  },
};

/**
 * Returns a person's answer; throws Interrupted while there is none. Any other answer than a yes is a no.
 * @param {Context} context
 * @param {{ name: unknown, args: unknown }} tool
 * @returns {{ approved: boolean, reason?: string }}
 */
export function askApproval(context, { name, args }) {
  const shown = typeof args === "string" ? args : JSON.stringify(args ?? {});
  const ask = /** @type {(message: string, options: object) => any} */ (context.interrupt);
  const answer = ask(`May the agent call ${String(name)} with ${shown}?`, {
    reason: "approval_required",
    response_schema: approvalSchema,
  });
  const { approved, reason } = answer ?? {};
  return { approved: approved === true, ...(typeof reason === "string" && { reason }) };
}
