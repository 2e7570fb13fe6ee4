import { z } from "zod";

/** The headers that say under which address a client reached the service. */
export const baseHeaders = { host: z.string().optional(), "x-forwarded-proto": z.string().optional() };

type ForwardedHeaders = { host?: string | undefined; "x-forwarded-proto"?: string | undefined };

/** Returns the address for the URLs of an answer. TLS may end at a proxy, which then says so. */
export const baseUrlOf = ({ host = "localhost", "x-forwarded-proto": scheme }: ForwardedHeaders): string =>
  `${scheme === "https" ? "https" : "http"}://${host}`;
