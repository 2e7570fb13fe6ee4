import { createHmac } from "node:crypto";
import { sameSecret } from "../../shared/platform/secrets/credential.ts";
import { isStripeSigned } from "../../shared/platform/secrets/verify-stripe-signature.ts";
import type { HookRules, HookScheme } from "../../shared/schemas/hook.ts";

export type Headers = Record<string, string>;

/** What a signature is checked with. */
export type SignatureContext = {
  verify: HookScheme;
  signature: HookRules["signature"];
  secrets: readonly string[];
  now: Date;
};

/** The largest difference between the time of a signature and ours, in both directions. */
const toleranceSeconds = 300;

/**
 * True when one of the secrets has signed these bytes, in the sender's scheme. Signatures are compared as texts: another spelling of
 * the same signature is another text. The time that this takes does not depend on how much of a signature is right.
 */
export function isSigned(
  body: Buffer,
  headers: Headers,
  { verify, signature, secrets, now }: SignatureContext,
): boolean {
  if (verify === "none") return true;
  if (verify === "hmac" && signature === null) return false;
  // Each secret is tried, so the time tells nothing about which one it was either.
  const tried = secrets.map((secret) => {
    if (verify === "stripe") return isStripeSigned(body, headers["stripe-signature"], { secret, now });
    if (verify === "github") return isGithubSigned(body, headers, secret);
    if (verify === "slack") return isSlackSigned(body, headers, { secret, now });
    if (verify === "standard") return isStandardSigned(body, headers, { secret, now });
    return signature !== null && isHmacSigned(body, headers, { secret, signature });
  });
  return tried.includes(true);
}

/** https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries */
function isGithubSigned(body: Buffer, headers: Headers, secret: string): boolean {
  const expected = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  return sameSecret(headers["x-hub-signature-256"] ?? "", expected);
}

/** https://docs.slack.dev/authentication/verifying-requests-from-slack */
function isSlackSigned(body: Buffer, headers: Headers, { secret, now }: { secret: string; now: Date }): boolean {
  const time = headers["x-slack-request-timestamp"] ?? "";
  const signed = createHmac("sha256", secret).update(`v0:${time}:`).update(body).digest("hex");
  return sameSecret(headers["x-slack-signature"] ?? "", `v0=${signed}`) && isRecent(time, now);
}

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
function isStandardSigned(body: Buffer, headers: Headers, { secret, now }: { secret: string; now: Date }): boolean {
  const { "webhook-id": id = "", "webhook-timestamp": time = "", "webhook-signature": given = "" } = headers;
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const expected = `v1,${createHmac("sha256", key).update(`${id}.${time}.`).update(body).digest("base64")}`;
  const signatures = given.split(" ", mostSignatures).map((one) => sameSecret(one, expected));
  return id !== "" && signatures.includes(true) && isRecent(time, now);
}

/** A sender signs once for each secret that it has. */
const mostSignatures = 10;

type Hmac = { secret: string; signature: NonNullable<HookRules["signature"]> };

function isHmacSigned(body: Buffer, headers: Headers, { secret, signature }: Hmac): boolean {
  const { header, algorithm, encoding } = signature;
  const expected = createHmac(algorithm, secret).update(body).digest(encoding);
  const given = headers[header.toLowerCase()] ?? "";
  return sameSecret(given.startsWith(`${algorithm}=`) ? given.slice(algorithm.length + 1) : given, expected);
}

const isRecent = (time: string, now: Date): boolean =>
  /^\d{1,12}$/.test(time) && Math.abs(now.getTime() / 1000 - Number(time)) <= toleranceSeconds;
