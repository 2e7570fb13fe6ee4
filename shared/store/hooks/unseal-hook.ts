import type { KeyRing } from "../../platform/config/load-config.ts";
import { open } from "../../platform/secrets/seal.ts";
import { sealedFields } from "../../platform/secrets/sealed-fields.ts";
import { type HookRecord, type HookRules, hookRecord, hookRules, type HookScheme } from "../../schemas/hook.ts";
import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** A hook as its deliveries need it. */
export type UnsealedHook = Pick<HookRecord, "id" | "user_id" | "agent_id" | "version" | "runtime_mode" | "respond"> & {
  verify: HookScheme;
  rules: HookRules;
  is_paused: boolean;
  /** Those that sign its deliveries now, the newest first. */
  secrets: string[];
  /** Postgres' clock. */
  now: Date;
};

/** Returns a hook with its secrets, whoever asks. Null: there is none. */
export async function unsealHook(db: Db, keyRing: KeyRing, id: string): Promise<UnsealedHook | null> {
  const row = await read.first(db.sql, { id });
  if (!row) return null;
  const { sealed_secret, sealed_previous_secret, runtime_mode, rules, ...hook } = row;
  const sealed = [sealed_secret, sealed_previous_secret].filter((value) => value !== null);
  return {
    ...hook,
    runtime_mode: hookRecord.shape.runtime_mode.parse(runtime_mode),
    rules: hookRules.parse(rules),
    secrets: sealed.map((value) => open(keyRing, value, sealedFields.hookSecret(id)).toString("utf8")),
  };
}

const read = statement({
  name: "open-hook",
  takes: { id: t.text },
  gives: {
    id: t.text,
    user_id: t.text,
    agent_id: t.text,
    version: t.text,
    runtime_mode: t.text,
    verify: t.enumeration<HookScheme>("hook_scheme"),
    rules: t.json(),
    respond: t.enumeration<HookRecord["respond"]>("hook_respond"),
    is_paused: t.boolean,
    sealed_secret: orNull(t.bytea),
    sealed_previous_secret: orNull(t.bytea),
    now: t.timestamptz,
  },
  text: sql`
    SELECT id, user_id, agent_id, version, runtime_mode, verify, rules, respond, status = 'paused' AS is_paused,
      sealed_secret, CASE WHEN previous_secret_until > now() THEN sealed_previous_secret END AS sealed_previous_secret,
      now() AS now
    FROM hooks WHERE id = $id`,
});

/** Notes a request that a hook has refused, at most one a second. */
export async function noteRefusal(db: Db, id: string, code: string): Promise<void> {
  await note.count(db.sql, { id, code });
}

const note = statement({
  name: "note-hook-refusal",
  takes: { id: t.text, code: t.text },
  text: sql`
    UPDATE hooks SET last_refused_at = now(), last_refused_code = $code
    WHERE id = $id AND coalesce(last_refused_at < now() - interval '1 second', true)`,
});
