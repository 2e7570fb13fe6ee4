/** The name of a connection: a part of a path and, in capitals, of variables. */
export const connectionName = /^[a-z][a-z0-9_-]{0,62}$/;

/** How a connection's secret is sent: as a bearer token, in a header of its own, or as a password. */
export const connectionKinds = ["bearer", "header", "basic"] as const;
export type ConnectionKind = (typeof connectionKinds)[number];

export const connectionPresets = [
  "openai",
  "anthropic",
  "google",
  "mistral",
  "openrouter",
  "azure",
  "openai_compatible",
] as const;
export type ConnectionPreset = (typeof connectionPresets)[number];

type Preset = {
  kind: ConnectionKind;
  header: string | null;
  /** Null: the connection names it. */
  base_url: string | null;
  /** The variables in which the service's libraries look for the address and for the key. */
  variables: { address: readonly string[]; key: readonly string[] };
};

const openaiVariables = { address: ["OPENAI_BASE_URL", "OPENAI_API_BASE"], key: ["OPENAI_API_KEY"] };

/** What is known of each service. A connection may say otherwise, but not which variables its libraries read. */
export const presets: Readonly<Record<ConnectionPreset, Preset>> = {
  openai: { kind: "bearer", header: null, base_url: "https://api.openai.com/v1", variables: openaiVariables },
  anthropic: {
    kind: "header",
    header: "x-api-key",
    base_url: "https://api.anthropic.com/v1",
    variables: {
      address: ["ANTHROPIC_BASE_URL", "ANTHROPIC_API_URL", "ANTHROPIC_API_BASE"],
      key: ["ANTHROPIC_API_KEY"],
    },
  },
  google: {
    kind: "header",
    header: "x-goog-api-key",
    base_url: "https://generativelanguage.googleapis.com",
    variables: {
      address: ["GOOGLE_GEMINI_BASE_URL"],
      key: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
    },
  },
  mistral: {
    kind: "bearer",
    header: null,
    base_url: "https://api.mistral.ai/v1",
    variables: { address: ["MISTRAL_BASE_URL"], key: ["MISTRAL_API_KEY"] },
  },
  openrouter: {
    kind: "bearer",
    header: null,
    base_url: "https://openrouter.ai/api/v1",
    variables: { address: ["OPENROUTER_BASE_URL", "OPENROUTER_API_BASE"], key: ["OPENROUTER_API_KEY"] },
  },
  azure: {
    kind: "header",
    header: "api-key",
    base_url: null,
    variables: { address: ["AZURE_OPENAI_ENDPOINT"], key: ["AZURE_OPENAI_API_KEY"] },
  },
  openai_compatible: { kind: "bearer", header: null, base_url: null, variables: openaiVariables },
};
