import { conflict, notFound } from "../../shared/domain/errors/app-error.ts";
import { userHasMost } from "../../shared/domain/errors/user-has-most.ts";
import { type HookBody, hookBody, type HookRules, newHook } from "../../shared/schemas/hook.ts";
import { resolveVersion } from "../../shared/store/agents/resolve-version.ts";
import { insertHook } from "../../shared/store/hooks/change-hook.ts";
import { toHookRecord } from "../../shared/store/hooks/hook-record.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { checkSignature } from "./check-signature-rule.ts";
import { chooseSecret, shownSecret } from "./choose-secret.ts";

export const createHook = defineOperation({
  method: "post",
  path: "/v1/hooks",
  name: "create_hook",
  area: "Hooks",
  scope: "hooks:write",
  idempotent: true,
  audit: "hook",
  summary: "Make an address that starts runs",
  description:
    "For senders of webhooks, such as GitHub, Stripe and Slack: each signed delivery to the hook's `url` starts a run of the agent, as its owner's and under the owner's limits. A delivery that is sent again is the same run. A secret that the service makes is only shown in this answer.",
  request: { body: hookBody },
  errors: ["agent_not_found", "version_not_found", "too_many_hooks"],
  responses: { 201: { description: "The hook and, if the service made it, its secret", schema: newHook } },
  async handle({ db, config }: Pick<ApiContext, "config" | "db">, { body, caller }) {
    const { agent_id, version, runtime_mode, verify, respond } = body;
    const rules = rulesOf(body);
    checkSignature(verify, rules.signature);
    const found = await resolveVersion(db, agent_id, version, caller.owner);
    if ("missing" in found)
      throw found.missing === "agent" ? notFound("agent", agent_id) : notFound("version", version);
    const { user_id } = found;
    const chosen = chooseSecret(verify, body.secret);
    const { description = null, metadata } = body;
    const about = { description, metadata: metadata ?? {}, rules, secret: chosen?.text ?? null };
    const hook = { user_id, agent_id, version, runtime_mode, verify, respond, ...about };
    const made = await insertHook(db, config.encryptionKeys, hook, config.perUser.hooks);
    if (!made) throw conflict("too_many_hooks", userHasMost("hooks", config.perUser, user_id));
    return { status: 201, body: { ...toHookRecord(made, config.publicUrl), secret: shownSecret(chosen) } };
  },
});

const rulesOf = ({
  signature = null,
  filter = null,
  map = null,
  dedupe = null,
  thread = null,
  signal = null,
}: HookBody): HookRules => ({ signature, filter, map, dedupe, thread, signal });
