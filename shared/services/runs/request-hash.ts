import { hashJson } from "../../platform/hash-json.ts";
import type { ExecuteRequest } from "../../schemas/execute-request.ts";

/**
 * Returns the hash of an execute request. Without `adapter_type` it counts as `python`. Without tags and metadata it has the hash
 * that earlier releases stored.
 */
export function executeHash({ tags, metadata, ...request }: ExecuteRequest): Buffer {
  const annotations = {
    ...(tags.length > 0 ? { tags } : {}),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  };
  return hashJson({ adapter_type: "python", ...request, ...annotations });
}
