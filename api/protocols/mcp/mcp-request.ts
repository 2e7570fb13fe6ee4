import type { RequestInfo } from "../../http/request-info.ts";
import type { McpSession } from "./session.ts";

/** A request within a session. */
export type McpRequest = RequestInfo & {
  session: McpSession;
  /** Before the paths of the service's own URLs. */
  base: string;
};
