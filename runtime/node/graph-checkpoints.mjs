// What a LangGraph graph needs to go on where it was: checkpoints that outlive its process, and the answers of the run.
import { askedCount, askInOrder } from "./context.mjs";
import { writeFrame } from "./channel.mjs";
import { journal } from "./steps.mjs";

/** @import { Context } from "./types.d.ts" */

/** Where a checkpoint's special writes stand; the others are counted from 0. @type {Record<string, number>} */
const places = { __error__: -1, __scheduled__: -2, __interrupt__: -3, __resume__: -4 };
/** What no task has written. */
const noTask = "00000000-0000-0000-0000-000000000000";
const mostCharacters = 8 * 1024 * 1024;
const mostDropped = 1_000;
/** What begins the id of a task in a namespace. */
const beginsTask = ":";

/**
 * What earlier attempts of the run have kept; null where nothing is kept.
 * @type {{ contents: string[] | null, isToldWhy: boolean }}
 */
const keeping = { contents: null, isToldWhy: false };

/** The run's worker keeps what its graph has reached. `contents`: what earlier attempts have kept. @param {string[] | undefined} contents */
export function keepCheckpoints(contents) {
  keeping.contents = contents ?? [];
}

/** LangGraph's own serializer, which the build adds to a bundle: a bundled agent's packages can't be imported by name. */
const serializer = () => /** @type {any} */ (globalThis)[Symbol.for("runfleet.serializer")] ?? null;

/** Code with durable calls goes on by its journal. */
const isKept = () =>
  keeping.contents !== null && serializer() !== null && journal.entries.size === 0 && journal.used.size === 0;

/** @param {unknown} error */
function tellWhyNot(error) {
  if (keeping.isToldWhy) return;
  keeping.isToldWhy = true;
  const why = error instanceof Error ? error.message : String(error);
  const message = `A checkpoint of the graph isn't kept: ${why.slice(0, 500)} If the run starts again, the graph goes on from an earlier one.`;
  writeFrame("log", { level: "warn", stream: "agent", message });
}

/**
 * Checkpoints of a graph that has no checkpointer of its own. Of each namespace the newest is there, and those before it where a
 * channel of the graph is built of them.
 */
class Checkpoints {
  /** By thread and namespace: checkpoints in their order. @type {Map<string, { checkpoint: any, metadata: any, parent?: string }[]>} */
  #saved = new Map();
  /** By thread, namespace and checkpoint: task and place → what was written. @type {Map<string, Map<string, any[]>>} */
  #writes = new Map();
  #sending = Promise.resolve();
  /** @type {Context} */
  #context;
  /** How many answers of the run the graph was given by then. */
  given = 0;

  /** @param {Context} context */
  constructor(context) {
    this.#context = context;
  }

  /** The run's own. Code that runs the graph by itself has other threads. */
  get thread() {
    const { run_id, attempt } = this.#context;
    return keeping.contents === null ? `${run_id}-${String(attempt)}` : String(run_id);
  }

  /** @param {unknown} thread @param {string} namespace */
  #listOf(thread, namespace) {
    const key = JSON.stringify([thread, namespace]);
    if (!this.#saved.has(key)) this.#saved.set(key, []);
    return this.#saved.get(key) ?? [];
  }

  /** @param {unknown} thread @param {string} namespace @param {string} id */
  #writesOf(thread, namespace, id) {
    const key = JSON.stringify([thread, namespace, id]);
    if (!this.#writes.has(key)) this.#writes.set(key, new Map());
    return this.#writes.get(key) ?? new Map();
  }

  /** Forgets what is not needed any more. @param {unknown} thread @param {(namespace: string, id: string) => boolean} isOver */
  #forget(thread, isOver) {
    for (const key of this.#writes.keys()) {
      const [of, namespace, id] = JSON.parse(key);
      if (of === thread && isOver(namespace, id)) this.#writes.delete(key);
    }
    for (const [key, list] of this.#saved) {
      const [of, namespace] = JSON.parse(key);
      if (of !== thread) continue;
      const left = list.filter(({ checkpoint }) => !isOver(namespace, checkpoint.id));
      if (left.length > 0) this.#saved.set(key, left);
      else this.#saved.delete(key);
    }
  }

  /** Reads what earlier attempts have kept. Returns whether there was something. */
  async load() {
    for (const content of isKept() ? (keeping.contents ?? []) : []) {
      const { namespace, id, given, parent, saved, task, writes } = JSON.parse(content);
      this.given = Math.max(this.given, given);
      if (saved !== undefined) {
        const { checkpoint, metadata } = await checkpointValue(saved);
        this.#add({ namespace, checkpoint, metadata, parent });
      }
      const loaded = (writes ?? []).map(async (/** @type {[string, string]} */ [channel, text]) => [
        channel,
        await checkpointValue(text),
      ]);
      if (task !== undefined) this.#addWrites({ thread: this.thread, namespace, id, task }, await Promise.all(loaded));
    }
    return this.#saved.size > 0;
  }

  /** @param {{ thread?: unknown, namespace: string, checkpoint: any, metadata: any, parent?: string }} made */
  #add({ thread = this.thread, namespace, checkpoint, metadata, parent }) {
    const supersedes = metadata?.counters_since_delta_snapshot === undefined;
    const below = namespace === "" ? "" : `${namespace}|`;
    const names = [...this.#saved.keys()].map((key) => JSON.parse(key)[1]);
    // The step is over in which these subgraphs ran. One without a task's id goes on in a later step.
    const drops = names.filter(
      (other) => other !== namespace && other.startsWith(below) && other.slice(below.length).includes(beginsTask),
    );
    this.#forget(
      thread,
      (other, id) => drops.includes(other) || (supersedes && other === namespace && id < checkpoint.id),
    );
    const list = this.#listOf(thread, namespace);
    if (!list.some((known) => known.checkpoint.id === checkpoint.id))
      list.push({ checkpoint, metadata, ...(parent !== undefined && { parent }) });
    return { supersedes, drops: drops.slice(0, mostDropped) };
  }

  /** @param {{ thread: unknown, namespace: string, id: string, task: string }} at @param {[string, unknown][]} writes */
  #addWrites({ thread, namespace, id, task }, writes) {
    const known = this.#writesOf(thread, namespace, id);
    for (const [index, [channel, value]] of writes.entries()) {
      const place = places[channel] ?? index;
      const key = `${task} ${place}`;
      if (place < 0 || !known.has(key)) known.set(key, [task, channel, value]);
      // An answer that a task has taken is not the next question's.
      if (channel === "__resume__" && task !== noTask) this.#takeAnswer(thread, namespace);
    }
  }

  /** @param {unknown} thread @param {string} namespace */
  #takeAnswer(thread, namespace) {
    for (const [key, writes] of this.#writes) {
      const [of, other] = JSON.parse(key);
      if (of === thread && (other === "" || other === namespace || namespace.startsWith(`${other}|`)))
        writes.delete(`${noTask} ${places["__resume__"]}`);
    }
  }

  /**
   * Sends what is to be kept, after what the graph has said before it.
   * @param {{ namespace: string, id: string, supersedes: boolean, drops: string[] }} about
   * @param {() => Promise<object>} encode Begins at once.
   */
  #send({ namespace, id, supersedes, drops }, encode) {
    const given = /** @type {any} */ (this.#context)[askedCount]?.() ?? 0;
    const encoded = encode().catch(tellWhyNot);
    this.#sending = this.#sending.then(async () => {
      const fields = await encoded;
      await new Promise((resolve) => setImmediate(resolve));
      if (!fields || !isKept()) return;
      const content = JSON.stringify({ namespace, id, given, ...fields });
      if (content.length > mostCharacters || namespace.length > 1_000)
        return tellWhyNot(`It has ${content.length} characters, and at most ${mostCharacters} are kept.`);
      writeFrame("checkpoint", { namespace, checkpoint_id: id, content, supersedes, drops });
    });
    return this.#sending;
  }

  /** @param {any} config @param {{ checkpoint: any, metadata: any, parent?: string }} entry */
  #toTuple({ configurable: { thread_id, checkpoint_ns = "" } }, { checkpoint, metadata, parent }) {
    const at = (/** @type {string} */ checkpoint_id) => ({ configurable: { thread_id, checkpoint_ns, checkpoint_id } });
    return {
      config: at(checkpoint.id),
      // Graphs change a checkpoint's own maps.
      checkpoint: {
        ...checkpoint,
        channel_values: { ...checkpoint.channel_values },
        channel_versions: { ...checkpoint.channel_versions },
        versions_seen: Object.fromEntries(
          Object.entries(checkpoint.versions_seen).map(([node, seen]) => [node, { .../** @type {object} */ (seen) }]),
        ),
      },
      metadata,
      pendingWrites: [...this.#writesOf(thread_id, checkpoint_ns, checkpoint.id).values()],
      ...(parent && { parentConfig: at(parent) }),
    };
  }

  /** @param {unknown} current */
  getNextVersion(current) {
    return typeof current === "number" ? current + 1 : 1;
  }

  /** @param {any} config */
  async getTuple(config) {
    const { thread_id, checkpoint_ns = "", checkpoint_id } = config.configurable;
    const list = this.#listOf(thread_id, checkpoint_ns);
    const found = checkpoint_id ? list.find(({ checkpoint }) => checkpoint.id === checkpoint_id) : list.at(-1);
    return found && this.#toTuple(config, found);
  }

  /** @param {any} config */
  async *list(config) {
    const { thread_id, checkpoint_ns = "" } = config.configurable;
    for (const entry of this.#listOf(thread_id, checkpoint_ns).toReversed()) yield this.#toTuple(config, entry);
  }

  /** @param {any} config @param {any} checkpoint @param {any} metadata */
  async put(config, checkpoint, metadata) {
    const { thread_id, checkpoint_ns: namespace = "", checkpoint_id: parent } = config.configurable;
    const about = this.#add({ thread: thread_id, namespace, checkpoint, metadata, parent });
    if (thread_id === this.thread && isKept())
      await this.#send({ namespace, id: checkpoint.id, ...about }, async () => ({
        ...(parent !== undefined && { parent }),
        saved: await checkpointText({ checkpoint, metadata }),
      }));
    return { configurable: { thread_id, checkpoint_ns: namespace, checkpoint_id: checkpoint.id } };
  }

  /** @param {any} config @param {[string, unknown][]} writes @param {string} task */
  async putWrites(config, writes, task) {
    const { thread_id, checkpoint_ns: namespace = "", checkpoint_id: id } = config.configurable;
    this.#addWrites({ thread: thread_id, namespace, id, task }, writes);
    if (thread_id !== this.thread || !isKept()) return;
    const encode = async () => {
      const texts = writes.map(async ([channel, value]) => [channel, await checkpointText(value)]);
      return { task, writes: await Promise.all(texts) };
    };
    await this.#send({ namespace, id, supersedes: false, drops: [] }, encode);
  }

  /** @param {string} thread */
  async deleteThread(thread) {
    this.#forget(thread, () => true);
  }
}

/** @param {unknown} value */
async function checkpointText(value) {
  // Bytes alone would have a form of their own, which isn't JSON.
  const [, bytes] = await serializer().dumpsTyped([value]);
  return Buffer.from(bytes).toString("utf8");
}

/** @param {string} text */
async function checkpointValue(text) {
  const [value] = await serializer().loadsTyped("json", text);
  return value;
}

/** What LangGraph's `Command` looks like to a graph, which doesn't ask for its class. */
class GraphCommand {
  lg_name = "Command";
  lc_direct_tool_output = true;
  /** @type {unknown[]} */
  goto = [];

  /** @param {unknown} resume */
  constructor(resume) {
    this.resume = resume;
  }
}

/**
 * Gives a graph checkpoints where it has none of its own.
 * @param {any} graph
 * @param {Context} context
 */
export function prepareGraph(graph, context) {
  // The process may have run it before, for another run.
  if (graph.checkpointer === undefined || graph.checkpointer instanceof Checkpoints)
    graph.checkpointer = new Checkpoints(context);
}

/**
 * Returns the configuration of a graph's call. With its own checkpoints a graph goes on with its thread.
 * @param {any} graph
 * @param {Context} context
 */
export function graphConfig({ checkpointer }, { run_id, thread_id }) {
  const isOurs = checkpointer instanceof Checkpoints;
  return { configurable: { thread_id: isOurs ? checkpointer.thread : (thread_id ?? run_id) } };
}

/** @param {any[]} [tasks] */
const questionsOf = (tasks = []) => tasks.flatMap((task) => task.interrupts ?? []);

export const askedGraph = {
  /**
   * Asks a person what a graph asks. Returns the graph's next input; throws Interrupted where an answer is missing.
   * @param {any[]} questions
   * @param {Context} context
   */
  answer(questions, context) {
    const ask = /** @type {any} */ (context)[askInOrder];
    const answers = questions.map(({ value }) => /** @type {unknown} */ (ask(value)));
    if (questions.length === 1) return new GraphCommand(answers[0]);
    return new GraphCommand(Object.fromEntries(questions.map(({ id }, index) => [id, answers[index]])));
  },

  /**
   * Returns what a graph begins with: the input; null for a graph that goes on from a checkpoint; the newest answer for one whose
   * checkpoint waits for it.
   * @param {any} graph
   * @param {object} config
   * @param {Context} context
   * @param {unknown} input
   */
  async pending(graph, config, context, input) {
    const answers = /** @type {unknown[]} */ (context.answers ?? []);
    const { checkpointer } = graph;
    const isOurs = checkpointer instanceof Checkpoints;
    if (!checkpointer || !(isOurs ? await checkpointer.load() : answers.length > 0)) return input;
    const { tasks } = await graph.getState(config);
    const waiting = questionsOf(tasks);
    if (!isOurs && waiting.length === 0) return input;
    // The answers before were given in earlier attempts.
    const given = isOurs ? checkpointer.given : answers.length - waiting.length;
    const ask = /** @type {any} */ (context)[askInOrder];
    for (let earlier = Math.min(given, answers.length); earlier > 0; earlier -= 1) ask();
    if (waiting.length === 0 || (isOurs && given >= answers.length)) return null;
    return this.answer(waiting, context);
  },
};
