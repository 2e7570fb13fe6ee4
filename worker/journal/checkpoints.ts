import { randomUUID } from "node:crypto";
import { z } from "zod";
import { checkpointLimits } from "../../shared/domain/run/checkpoint-limits.ts";
import type { KeyRing } from "../../shared/platform/config/load-config.ts";
import { sealedFields } from "../../shared/platform/secrets/sealed-fields.ts";
import type { RunEventBody } from "../../shared/schemas/run-event.ts";
import { storedKey } from "../../shared/services/journal/entry.ts";
import { openText, sealText } from "../../shared/services/journal/seal-text.ts";
import type { Db } from "../../shared/store/client.ts";
import {
  keepCheckpoints,
  readCheckpoints,
  readCheckpointSizes as readSizes,
} from "../../shared/store/journal/keep-checkpoints.ts";
import type { HeldRun } from "../../shared/store/runs/moves/renew-leases.ts";
import { untilPostgresAnswers } from "../../shared/store/until-postgres-answers.ts";
import type { CheckpointFrame } from "../channel/checkpoint-frame.ts";
import type { AbortReason } from "../lease/abort-reason.ts";
import type { Range } from "./settle-output.ts";

/** What an attempt's graph has reached. A later attempt goes on there. */
export type Checkpoints = {
  /** Resolves when the frame's content is kept, or is found too much. */
  keep(frame: CheckpointFrame): Promise<void>;
  /** Notes an event of the attempt: what is said before a checkpoint stands with it. */
  say(seq: number, isOutput: boolean): void;
};

/** What earlier attempts' graphs have reached. `contents`: for the agent's process, in order. `events`: which stand, by attempt. */
export type ReplayCheckpoints = { contents: string[]; events: Map<number, Range[]>; outputs: boolean };

type Options = {
  db: Db;
  keyRing: KeyRing;
  run: HeldRun;
  /** What stands of earlier attempts. */
  kept: {
    events: ReadonlyMap<number, Range[]>;
    outputs: boolean;
    checkpoint_sizes: ReadonlyMap<string, number>;
  } | null;
  publish: (event: RunEventBody) => Promise<void>;
  save: () => Promise<void>;
  stop: (reason: AbortReason) => void;
};

/** `seq`: of the last event that stands with it. */
type QueuedCheckpoint = { frame: CheckpointFrame; seq: number; outputs: boolean };

const stored = z.object({
  content: z.string(),
  /** [attempt, events] */
  events: z.array(z.tuple([z.number().int(), z.array(z.tuple([z.number().int(), z.number().int()]))])),
  outputs: z.boolean(),
});

/** What a checkpoint takes beside its content. */
const rowLength = 1_024;

/** Keeps checkpoints in the order of their frames, those together that come while others are written. */
export function openCheckpoints({ db, keyRing, run, kept, publish, save, stop }: Options): Checkpoints {
  /** What is kept takes so many characters, by the hash of its namespace. */
  const sizes = new Map(kept?.checkpoint_sizes);
  let total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const queue: QueuedCheckpoint[] = [];
  let said = { seq: 0, outputs: kept?.outputs ?? false };
  let keeping: Promise<void> | null = null;
  let isToldFull = false;

  /** Returns false when the run would keep too much. */
  function hasRoom({ namespace, content, supersedes, drops }: CheckpointFrame): boolean {
    for (const dropped of drops) setSize(dropped, 0);
    const left = supersedes ? 0 : (sizes.get(storedKey(namespace, null)) ?? 0);
    const size = left + content.length + rowLength;
    if (total - (sizes.get(storedKey(namespace, null)) ?? 0) + size > checkpointLimits.bytes) return false;
    setSize(namespace, size);
    return true;
  }

  function setSize(namespace: string, size: number): void {
    const key = storedKey(namespace, null);
    total += size - (sizes.get(key) ?? 0);
    if (size === 0) sizes.delete(key);
    else sizes.set(key, size);
  }

  async function keepQueued(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.splice(0);
      await save();
      const given = await givenOf(batch);
      if (!(await untilPostgresAnswers(() => keepCheckpoints(db, run, given)))) return stop("fenced");
    }
  }

  async function givenOf(batch: readonly QueuedCheckpoint[]) {
    const frames = batch.map(({ frame }) => frame);
    const needed = batch.filter(({ frame }, at) => !frames.slice(at + 1).some((later) => isOver(frame, later)));
    const checkpoints = needed.map(async ({ frame, seq, outputs }) => {
      const id = randomUUID();
      const events: [number, Range[]][] = [...(kept?.events ?? [])];
      if (seq > 0) events.push([run.attempt, [[1, seq]]]);
      const text = JSON.stringify({ content: frame.content, events, outputs } satisfies z.input<typeof stored>);
      const sealed_content = await sealText(keyRing, text, sealedFields.runCheckpoint(run.id, id));
      return { id, namespace: storedKey(frame.namespace, null), checkpoint_id: frame.checkpoint_id, sealed_content };
    });
    const newest = new Map(frames.filter(({ supersedes }) => supersedes).map((frame) => [frame.namespace, frame]));
    return {
      checkpoints: await Promise.all(checkpoints),
      superseded: [...newest.values()].map(
        ({ namespace, checkpoint_id }) => [storedKey(namespace, null), checkpoint_id] as const,
      ),
      dropped: [...new Set(frames.flatMap(({ drops }) => drops))].map((namespace) => storedKey(namespace, null)),
    };
  }

  return {
    async keep(frame) {
      if (!hasRoom(frame)) {
        if (isToldFull) return;
        isToldFull = true;
        const message = `Checkpoints of the run's graph aren't kept any more: they have more than ${checkpointLimits.bytes} characters. If the run starts again, it goes on from an earlier one.`;
        return publish({ type: "log", level: "warn", stream: "agent", message });
      }
      queue.push({ frame, ...said });
      keeping ??= keepQueued().finally(() => (keeping = null));
      return keeping;
    },
    say(seq, isOutput) {
      said = { seq, outputs: said.outputs || isOutput };
    },
  };
}

/** True when a later frame makes an earlier one needless. */
const isOver = (earlier: CheckpointFrame, later: CheckpointFrame): boolean =>
  later.drops.includes(earlier.namespace) ||
  (later.supersedes && later.namespace === earlier.namespace && earlier.checkpoint_id < later.checkpoint_id);

/** Returns how many characters earlier attempts' checkpoints take, by the hash of their namespace. */
export async function readCheckpointSizes(db: Db, run_id: string): Promise<Map<string, number>> {
  const found = await readSizes(db, run_id);
  return new Map(found.map(({ namespace, bytes, rows }) => [namespace, bytes + rows * rowLength]));
}

export async function readReplayCheckpoints(db: Db, keyRing: KeyRing, run_id: string): Promise<ReplayCheckpoints> {
  const contents: string[] = [];
  let newest: Omit<ReplayCheckpoints, "contents"> = { events: new Map(), outputs: false };
  for (const { id, sealed_content } of await readCheckpoints(db, run_id)) {
    const text = await openText(keyRing, sealed_content, sealedFields.runCheckpoint(run_id, id));
    const { content, events, outputs } = stored.parse(JSON.parse(text));
    contents.push(content);
    newest = { events: new Map(events), outputs };
  }
  return { contents, ...newest };
}
