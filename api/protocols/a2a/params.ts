import { z } from "zod";
import { choice, clientId, laxInt, text } from "../../../shared/schemas/primitives.ts";
import type { Part } from "./message.ts";
import { taskStates } from "./task-state.ts";

/** The parameters of A2A's methods, in both versions. A field that is not listed changes nothing. */

const metadata = z.record(z.string(), z.unknown()).nullish();
const words = () => text({ max: 256 }).nullish();
const historyLength = laxInt({ ge: 0 }).nullish();

const part = z
  .object({
    text: text().optional(),
    data: z.unknown().optional(),
    url: text().optional(),
    raw: text().optional(),
    filename: words(),
    mediaType: words(),
  })
  .transform(({ text: said, data, url, raw, filename, mediaType }, context): Part => {
    const more = { ...(filename ? { filename } : {}), ...(mediaType ? { mediaType } : {}) };
    if (said !== undefined) return { text: said, ...more };
    if (data !== undefined) return { data, ...more };
    if (url !== undefined) return { url, ...more };
    if (raw !== undefined) return { raw, ...more };
    context.addIssue({ code: "custom", message: "A part needs one of text, data, url and raw." });
    return z.NEVER;
  });

const file = z.object({ bytes: text().optional(), uri: text().optional(), name: words(), mimeType: words() });
const legacyPart = z.union([
  z.object({ kind: z.literal("text"), text: text() }).transform(({ text: said }): Part => ({ text: said })),
  z
    .object({ kind: z.literal("data"), data: z.record(z.string(), z.unknown()) })
    .transform(({ data }): Part => ({ data })),
  z.object({ kind: z.literal("file"), file }).transform(({ file: { bytes, uri, name, mimeType } }, context): Part => {
    const more = { ...(name ? { filename: name } : {}), ...(mimeType ? { mediaType: mimeType } : {}) };
    if (bytes !== undefined) return { raw: bytes, ...more };
    if (uri !== undefined) return { url: uri, ...more };
    context.addIssue({ code: "custom", message: "A file needs bytes or a uri." });
    return z.NEVER;
  }),
]);

/** An id may be absent, null or empty. */
const id = () =>
  z
    .union([z.literal(""), clientId()])
    .nullish()
    .transform((given) => given || null);

const messageOf = <P extends z.ZodType<Part>>(parts: P) =>
  z.object({
    messageId: text({ min: 1, max: 256 }),
    contextId: id(),
    taskId: text({ max: 512 })
      .nullish()
      .transform((given) => given || null),
    parts: z.array(parts).min(1).max(100),
  });

const push = z.record(z.string(), z.unknown()).nullish();

/** What both versions' parameters of a message become. */
export type SendParams = {
  message: { messageId: string; contextId: string | null; taskId: string | null; parts: Part[] };
  /** True when the answer waits until the task has ended or needs input. */
  waits: boolean;
  historyLength: number | null;
  push: boolean;
};

const configuration = z
  .object({ returnImmediately: z.boolean().nullish(), historyLength, taskPushNotificationConfig: push })
  .nullish();
export const sendParams = z
  .object({ message: messageOf(part), configuration, metadata })
  .transform(({ message, configuration: asked }): SendParams => ({
    message,
    waits: !asked?.returnImmediately,
    historyLength: asked?.historyLength ?? null,
    push: asked?.taskPushNotificationConfig != null,
  }));

const legacyConfiguration = z
  .object({ blocking: z.boolean().nullish(), historyLength, pushNotificationConfig: push })
  .nullish();
export const legacySendParams = z
  .object({ message: messageOf(legacyPart), configuration: legacyConfiguration, metadata })
  .transform(({ message, configuration: asked }): SendParams => ({
    message,
    waits: asked?.blocking !== false,
    historyLength: asked?.historyLength ?? null,
    push: asked?.pushNotificationConfig != null,
  }));

export const taskParams = z.object({ id: text({ min: 1, max: 512 }), historyLength });

export const listParams = z.object({
  contextId: id(),
  status: choice([...taskStates, "TASK_STATE_UNSPECIFIED"]).nullish(),
  pageSize: laxInt({ ge: 1, le: 100 }).nullish(),
  pageToken: id(),
  historyLength,
  includeArtifacts: z.boolean().nullish(),
});
export type ListParams = z.output<typeof listParams>;
