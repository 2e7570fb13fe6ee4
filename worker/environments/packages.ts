/** `lock`: the packages exactly, as a version's build found them. Null: what the requirements resolve to now. */
export type Packages = { requirements: readonly string[]; lock: string | null };
