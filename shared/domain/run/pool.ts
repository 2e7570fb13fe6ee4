/** The pool of workers and agents that name none. */
export const defaultPool = "default";

export const poolName = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
/** What a pool may be named, for a person. */
export const poolRule = "must be 1 to 63 lower case letters, digits and `-`, with no `-` at either end";
