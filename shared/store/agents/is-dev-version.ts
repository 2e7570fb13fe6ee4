import { devPrefix } from "../../domain/agent/version-names.ts";
import { literal, sql } from "../sql.ts";

/** True for the row of a development version. */
export const isDevVersion = sql`starts_with(version, ${literal(devPrefix)})`;
