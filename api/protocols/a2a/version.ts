import { RpcError } from "../rpc-error.ts";
import { a2aCodes } from "./errors.ts";

export type A2aVersion = "1.0" | "0.3";

/** True when a request speaks 0.3. Clients of 0.3 don't send the header. */
export const isLegacy = (header: string | undefined): boolean => /^(?:0\.3(?:\.\d+)?)?$/.test(header?.trim() ?? "");

/** Returns the version that the header `A2A-Version` asks for. Throws RpcError for any other. */
export function readVersion(header: string | undefined): A2aVersion {
  if (isLegacy(header)) return "0.3";
  const asked = header?.trim() ?? "";
  if (/^1(\.0(\.\d+)?)?$/.test(asked)) return "1.0";
  throw new RpcError(
    a2aCodes.version_not_supported,
    `The requested A2A protocol version '${asked.slice(0, 32)}' is not supported. Supported versions: 1.0, 0.3`,
    "VERSION_NOT_SUPPORTED",
  );
}
