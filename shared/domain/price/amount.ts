/** Tokens of input and output together, and millionths of a US dollar. */
export type Amount = { tokens: number; micro_usd: number };
