/** A variable, as operators are shown it. */
export type Setting = {
  name: string;
  is_set: boolean;
  /** What holds, set or not. Null: there is none, or it may be a secret. */
  value: string | number | null;
};

/** Texts that are no secrets. Any other text may be one, or hold one as URLs do. Numbers never are. */
const plainTexts: ReadonlySet<string> = new Set([
  ...["DATABASE_POOLER", "REDIS_PREFIX", "METRICS_ADDRESS", "LOG_LEVEL", "NODE_ENV", "HOST", "AUTH_MODE", "ALLOW_OPEN"],
  ...["OTEL_SDK_DISABLED", "OTEL_SERVICE_NAME", "OTEL_TRACES_SAMPLER", "WORKER_POOL", "ENVIRONMENTS_DIR"],
]);

/** Returns all variables by their names. `values`: as they were read, with their defaults. `given`: those that are set. */
export const settingsOf = (
  names: readonly string[],
  values: Record<string, unknown>,
  given: Record<string, unknown>,
): Setting[] =>
  names.toSorted().map((name) => {
    const value = values[name];
    const isShown = typeof value === "number" || (typeof value === "string" && plainTexts.has(name));
    return { name, is_set: name in given, value: isShown ? value : null };
  });
