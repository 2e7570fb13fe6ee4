/** Where a reader of all runs' moves is: behind the move `seq`, which the transaction `xact` wrote. */
export type MoveCursor = { xact: bigint; seq: bigint };

/** Returns the id of an event at the place: `<xact>-<seq>`. */
export const formatMoveCursor = ({ xact, seq }: MoveCursor): string => `${xact}-${seq}`;

/** Returns null when the text is no such id. */
export function parseMoveCursor(text: string): MoveCursor | null {
  const [, xact, seq] = /^(\d{1,18})-(\d{1,18})$/.exec(text) ?? [];
  return xact === undefined || seq === undefined ? null : { xact: BigInt(xact), seq: BigInt(seq) };
}

/** True when the place is behind the other one. */
export const isAfter = (place: MoveCursor, other: MoveCursor): boolean =>
  place.xact > other.xact || (place.xact === other.xact && place.seq > other.seq);
