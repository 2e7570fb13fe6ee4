import { z } from "zod";
import { pageQuery, text } from "./primitives.ts";
import { me } from "./user.ts";

/** Who may sign in: the holder of a key, or of BOOTSTRAP_ADMIN_KEY. */
export type PrincipalKind = "key" | "bootstrap";

/** Whom a session stands for. */
export type Principal = { kind: PrincipalKind; id: string };

/** Returns a principal as answers show it: the bootstrap key's fingerprint is nobody's business. */
export const showPrincipal = ({ kind, id }: Principal): Principal => ({
  kind,
  id: kind === "bootstrap" ? "bootstrap" : id,
});

export const sessionParams = z.object({
  session_id: text({ max: 512 }).meta({ example: "session_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b" }),
});

export const sessionListQuery = pageQuery.extend(me.shape);

/** The body of POST /v1/sessions. */
export const signInBody = z
  .object({
    key: text({ min: 1, max: 512 }).nullish().meta({ description: "An API key." }),
    code: text({ min: 1, max: 512 })
      .nullish()
      .meta({ description: "A code of `POST /v1/sessions/codes`, instead of a key." }),
  })
  .meta({ id: "SignIn", example: { key: "rf_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b_…" } });

const principal = z.object({
  kind: z.enum(["key", "bootstrap"]),
  id: z.string().meta({ description: "The key's id." }),
});

export const currentSession = z
  .object({
    object: z.literal("session"),
    id: z.string().nullable().meta({ description: "Null: the request has no session. It may have a key." }),
    auth_mode: z.enum(["open", "key"]),
    user_id: z.string().nullable().meta({ description: "Null: nobody is signed in." }),
    principal: principal.nullable(),
    scopes: z.array(z.string()),
    admin: z.boolean().meta({ description: "True when the things of all users are shown." }),
    expires_at: z.string().nullable(),
  })
  .meta({
    id: "CurrentSession",
    example: {
      object: "session",
      id: "session_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b",
      auth_mode: "key",
      user_id: "ada",
      principal: { kind: "key", id: "key_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b" },
      scopes: ["*"],
      admin: false,
      expires_at: "2026-11-28T10:00:00.000Z",
    },
  });
export type CurrentSession = z.infer<typeof currentSession>;

export const sessionRecord = z
  .object({
    id: z.string(),
    object: z.literal("session"),
    user_id: z.string(),
    principal,
    scopes: z.array(z.string()),
    ip: z.string().nullable().meta({ description: "The address that signed in." }),
    user_agent: z.string().nullable().meta({ description: "The browser's own name." }),
    is_current: z.boolean().meta({ description: "True for the session of this request." }),
    created_at: z.string(),
    last_used_at: z.string().meta({ description: "Noted once a minute." }),
    expires_at: z.string().meta({ description: "It ends earlier when nobody uses it for 12 hours." }),
  })
  .meta({
    id: "Session",
    example: {
      id: "session_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b",
      object: "session",
      user_id: "ada",
      principal: { kind: "key", id: "key_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b" },
      scopes: ["*"],
      ip: "127.0.0.1",
      user_agent: "Mozilla/5.0",
      is_current: true,
      created_at: "2026-11-21T10:00:00.000Z",
      last_used_at: "2026-11-21T10:00:00.000Z",
      expires_at: "2026-11-28T10:00:00.000Z",
    },
  });
export type SessionRecord = z.infer<typeof sessionRecord>;

export const sessionCode = z
  .object({
    code: z.string().meta({ description: "Signs one browser in, once." }),
    expires_at: z.string(),
  })
  .meta({
    id: "SessionCode",
    example: { code: "rfc_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b_…", expires_at: "2026-11-21T10:01:00.000Z" },
  });
