/** A text as a pattern for ILIKE that finds it anywhere; null for none. */
export const searchPattern = (search: string | undefined): string | null =>
  search === undefined ? null : `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
