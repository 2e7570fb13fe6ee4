/**
 * Returns by how much a tick's run starts after its tick: always the same for the same job and tick, so that a preview is
 * right, and evenly spread over `jitter_ms` otherwise.
 */
export function jitterOf(jobId: string, tick: Date, jitter_ms: number | null): number {
  if (jitter_ms === null || jitter_ms === 0) return 0;
  // FNV-1a, then the finalizer of MurmurHash3: ticks differ in few bits.
  let hash = 0x811c9dc5;
  for (const char of `${jobId} ${tick.getTime()}`) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % (jitter_ms + 1);
}
