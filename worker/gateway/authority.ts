import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import type { HostCertificate } from "../../shared/schemas/gateway.ts";
import { bits, der, objectId, octets, sequence, time } from "./der.ts";

/**
 * The authority under which a worker's gateway ends the TLS of connections' hosts. Its key stays in this process: the gateway gets
 * the certificates of a run's hosts alone, and a sandbox the authority's certificate.
 */
export type Authority = {
  /** Its certificate, and the machine's certificates together with it. */
  trust: { authority: string; certificates: string };
  /** Returns a certificate for a host with its key; null for an address of IPv6. */
  certify: (host: string) => HostCertificate | null;
};

const dayMs = 86_400_000;
const days = { authority: 3_650, host: 90, renewed: 1 } as const;
const algorithm = sequence(objectId("1.2.840.10045.4.3.2")); // ecdsa-with-SHA256
/** Where systems keep the certificates that they trust. */
const systemFiles = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

export function createAuthority(now: () => number = Date.now): Authority {
  const own = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const authorityName = nameOf(`Runfleet gateway ${randomBytes(4).toString("hex")}`);
  const certificate = makeCertificate({
    issuer: authorityName,
    subject: authorityName,
    key: own.publicKey,
    signer: own.privateKey,
    from: now(),
    days: days.authority,
    extensions: [
      extension("2.5.29.19", true, sequence(yes, der(0x02, Buffer.from([0])))), // signs no other authorities
      extension("2.5.29.15", true, bits(Buffer.from([0x04]), 2)), // signs certificates only
      extension("2.5.29.14", false, octets(keyId(own.publicKey))),
    ],
  });
  const issued = new Map<string, HostCertificate & { issuedAt: number }>();

  function issue(host: string, address: Buffer): HostCertificate {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
    const cert = makeCertificate({
      issuer: authorityName,
      subject: nameOf("Runfleet connection"),
      key: publicKey,
      signer: own.privateKey,
      from: now(),
      days: days.host,
      extensions: [
        extension("2.5.29.15", true, bits(Buffer.from([0x80]), 7)), // signs in handshakes
        extension("2.5.29.37", false, sequence(objectId("1.3.6.1.5.5.7.3.1"))), // of servers
        extension("2.5.29.17", true, sequence(address)),
        extension("2.5.29.35", false, sequence(der(0x80, keyId(own.publicKey)))),
      ],
    });
    return { host, cert, key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
  }

  return {
    trust: { authority: certificate, certificates: `${readSystem()}\n${certificate}` },
    certify(host) {
      const known = issued.get(host);
      if (known && now() - known.issuedAt < days.renewed * dayMs) return known;
      const address = addressOf(host);
      if (!address) return null;
      const { cert, key } = issue(host, address);
      // A worker may see any number of hosts in its life.
      if (issued.size >= 1_000) issued.clear();
      issued.set(host, { host, cert, key, issuedAt: now() });
      return { host, cert, key };
    },
  };
}

type Contents = {
  issuer: Buffer;
  subject: Buffer;
  key: KeyObject;
  signer: KeyObject;
  from: number;
  days: number;
  extensions: Buffer[];
};

/** RFC 5280 §4.1. */
function makeCertificate({ issuer, subject, key, signer, from, days: valid, extensions }: Contents): string {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40; // A positive number whose first byte isn't 0.
  const contents = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    algorithm,
    issuer,
    // Clocks of a sandbox and of a client in it may be set back.
    sequence(time(new Date(from - dayMs)), time(new Date(from + valid * dayMs))),
    subject,
    key.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...extensions)),
  );
  const text = sequence(contents, algorithm, bits(sign("sha256", contents, signer))).toString("base64");
  return `-----BEGIN CERTIFICATE-----\n${text.replaceAll(/.{64}(?!$)/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
}

const yes = der(0x01, Buffer.from([0xff]));

const extension = (id: string, isCritical: boolean, value: Buffer): Buffer =>
  sequence(objectId(id), ...(isCritical ? [yes] : []), octets(value));

const nameOf = (text: string): Buffer =>
  sequence(der(0x31, sequence(objectId("2.5.4.3"), der(0x0c, Buffer.from(text)))));

const keyId = (key: KeyObject): Buffer =>
  createHash("sha1")
    .update(key.export({ type: "spki", format: "der" }))
    .digest();

/** RFC 5280 §4.2.1.6. */
function addressOf(host: string): Buffer | null {
  if (isIP(host) === 4) return der(0x87, Buffer.from(host.split(".").map(Number)));
  return isIP(host) === 0 && !host.includes(":") ? der(0x82, Buffer.from(host, "latin1")) : null;
}

function readSystem(): string {
  for (const file of systemFiles)
    try {
      return readFileSync(file, "utf8");
    } catch {
      // Not this system's.
    }
  return "";
}
