import { parseUrl } from "../egress/parse-url.ts";
import { type ConnectionKind, type ConnectionPreset, presets } from "./presets.ts";

export type GivenConnection = {
  preset?: ConnectionPreset | null | undefined;
  kind?: ConnectionKind | null | undefined;
  header?: string | null | undefined;
  username?: string | null | undefined;
  base_url?: string | null | undefined;
};

/** What the gateway needs to call a service, beside the secret. */
export type ConnectionTarget = {
  preset: ConnectionPreset | null;
  kind: ConnectionKind;
  header: string | null;
  username: string | null;
  base_url: string;
};

type Fault = { field: keyof GivenConnection; message: string };

/** Fields by which a message is framed and routed, and those that the gateway writes itself. */
const notForSecrets =
  /^(host|connection|content-length|content-type|content-encoding|transfer-encoding|te|trailer|upgrade|expect|keep-alive|accept-encoding|cookie|proxy-.*)$/i;

/** Fills in what the preset knows. Returns the field that is wrong or missing, and why. */
export function completeConnection(given: GivenConnection): { target: ConnectionTarget } | Fault {
  const known = given.preset == null ? unknown : presets[given.preset];
  const base_url = given.base_url ?? known.base_url;
  const kind = given.kind ?? known.kind;
  if (base_url === null) return { field: "base_url", message: "is missing: the service's address isn't known" };
  const fault = addressFault(base_url);
  if (fault !== null) return { field: "base_url", message: fault };
  if (kind === null)
    return { field: "kind", message: "is missing: a connection without a preset says how its secret is sent" };
  const header = given.header ?? (kind === "header" ? known.header : null);
  const { username, preset } = { username: null, preset: null, ...given };
  const target = { preset: preset ?? null, kind, header, username: username ?? null };
  return kindFault(target) ?? { target: { ...target, base_url: base_url.replace(/\/+$/, "") } };
}

const unknown = { base_url: null, kind: null, header: null };

/** A kind needs its own field, and has no use for another kind's. */
function kindFault({ kind, header, username }: Omit<ConnectionTarget, "base_url">): Fault | null {
  for (const [field, value, needs] of [
    ["header", header, "header"],
    ["username", username, "basic"],
  ] as const) {
    if (kind === needs && value === null) return { field, message: `is missing: the kind is '${kind}'` };
    if (kind !== needs && value !== null) return { field, message: `has no effect: the kind is '${kind}'` };
  }
  if (header === null || !notForSecrets.test(header)) return null;
  return { field: "header", message: `can't be '${header}', which a secret can't be sent in` };
}

function addressFault(text: string): string | null {
  const url = parseUrl(text);
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:")) return "is no address of http or https";
  if (url.username !== "" || url.password !== "") return "must have no user and password: they are the secret";
  return /[?#]/.test(text) ? "must have no query and no fragment" : null;
}
