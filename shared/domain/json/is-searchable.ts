const unsearchable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i;

/** True when Postgres can search JSON, which `JSON.stringify` wrote: its texts have no NUL and no half of a surrogate pair. */
export const isSearchable = (json: string): boolean => !unsearchable.test(json);
