/** The objects of A2A 1.0 in JSON (a2a-protocol.org, "Protocol Data Model"). Those of 0.3 are made of them: `to-legacy.ts`. */

type Content = { text: string } | { data: unknown } | { url: string } | { raw: string };
export type Part = Content & { mediaType?: string; filename?: string };

export type Message = {
  messageId: string;
  contextId: string;
  taskId: string;
  role: "ROLE_USER" | "ROLE_AGENT";
  parts: Part[];
  metadata?: Record<string, unknown>;
};

export type Artifact = { artifactId: string; name: string; parts: Part[] };

export const textPart = (text: string): Part => ({ text, mediaType: "text/plain" });
export const dataPart = (data: unknown): Part => ({ data, mediaType: "application/json" });
/** Returns text as text and any other value as data. */
export const partOf = (value: unknown): Part => (typeof value === "string" ? textPart(value) : dataPart(value));
