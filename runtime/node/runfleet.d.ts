/**
 * What an agent in Node may import from "runfleet"; it is there in every sandbox, with nothing installed. For an editor: copy this
 * file beside the agent.
 */
declare module "runfleet" {
  export type Level = "debug" | "info" | "warn" | "error";

  /** The second argument of `main`: what the agent knows of its run, and what it may say besides yielding. */
  export interface Context<Input = unknown, State = unknown> {
    run_id: string;
    attempt: number;
    agent_id: string;
    version: string;
    thread_id: string | null;
    user_id: string;
    input: Input;
    history: { role: "user" | "assistant"; content: unknown; text?: string }[];
    /** What `saveState` was given; `state_snapshot` is how it is stored. */
    state: State;
    state_snapshot: string;
    /** Absolute paths of the run's files, by name. */
    files: Record<string, string>;
    metadata: Record<string, unknown>;
    /** Aborts when the run is asked to end. */
    signal: AbortSignal;
    /** An event of one's own. */
    emit(name: string, value?: unknown): void;
    /** `value` from 0 to 1. */
    progress(value?: number | string | null, message?: string | null): void;
    log(message: unknown, level?: Level): void;
    /** Text, or any value that JSON has: `state` of the thread's next run. */
    saveState(state: unknown): void;
    /** Totals so far. */
    usage(counts: { input_tokens?: number; output_tokens?: number; cost_usd?: number }): void;
    tool<T>(name: string, args: unknown, call: () => T | Promise<T>): Promise<T>;
    /** Hands out a file: `content`, or the file of that name. */
    artifact(name: string, content?: string | Uint8Array, mime?: string | null): void;
    /** Asks a person: the run ends here, starts anew with the answer, and this call then returns it. */
    interrupt<Answer = unknown>(
      message?: unknown,
      options?: { reason?: string; response_schema?: object | null; expires_in_ms?: number | null },
    ): Answer;
    /** Does `call` once, however often the run starts: its result is kept. */
    step<T>(name: string, call: (step: Step) => T | Promise<T>, options?: StepOptions): Promise<T>;
    /** Steps of several branches at the same time keep their results apart. */
    branch<T>(name: string, call: () => T): T;
    /** The time of the first attempt that came here. */
    now(): Promise<Date>;
    /** The same on every attempt, another at each call. */
    uuid(): string;
    /** From 0 to below 1: the same on every attempt, another at each call. */
    random(): number;
    /** Waits so many seconds, also without a process. */
    sleep(seconds: number, options?: WaitOptions): Promise<void>;
    /** Until a Date, or milliseconds since 1970. */
    sleepUntil(time: Date | number, options?: WaitOptions): Promise<void>;
    /** Waits for a signal. Throws SignalTimeout when none came in `timeout` seconds. */
    waitFor<Payload = unknown>(name: string, options?: WaitOptions & { timeout?: number }): Promise<Payload>;
    /** The earliest of several signals. */
    waitFor(names: string[], options?: WaitOptions & { timeout?: number }): Promise<{ name: string; payload: unknown }>;
    /**
     * What the first `count` of several waits end as, in that order: promises of `sleep`, `waitFor`, `runAgent` and `map`. The others
     * are given up. Throws the error after which too few are left.
     */
    first<T>(count: number, waits: Iterable<Promise<T>>): Promise<T[]>;
    /** An address to which anybody who has it may POST a signal, for `expires_in` seconds (a week). */
    signalUrl(name: string, options?: { key?: string | number; expires_in?: number }): Promise<string>;
    /**
     * Ends the code here, by an error that is to be let through: the run goes on from the first line, with this input and an empty
     * journal.
     */
    continueAs(input?: object | null): never;
    /** From here on the process stays while the run waits. */
    keepWarm(): void;
    /** What was said to the run since it was asked last, the oldest first, without waiting for more. */
    newMessages(options?: { key?: string | number }): Promise<unknown[]>;
    /** Gives new messages to a framework's model, at its next turn. One for each conversation. */
    steering(): Steering;
    /** Runs another agent. Throws ChildFailed when that run doesn't succeed. */
    runAgent<Result = unknown>(agent: string, input?: object | null, options?: ChildOptions): Promise<Result>;
    /** Starts a run of another agent, which goes on by itself: its id. */
    startAgent(agent: string, input?: object | null, options?: ChildOptions): Promise<string>;
    /** Runs another agent once for each input; `concurrency` at once. `return_errors`: errors stand among the results. */
    map<Result = unknown>(
      agent: string,
      inputs: Iterable<object | null>,
      options?: ChildOptions & { concurrency?: number; return_errors?: boolean },
    ): Promise<Result[]>;
    /** A daemon's messages, as they come: for a `main` that takes them itself. */
    messages(): AsyncIterableIterator<Message>;
  }

  /** One try of a step. */
  export interface Step {
    key: string;
    name: string;
    /** Of the try, from 1. */
    number: number;
    signal: AbortSignal;
    /** The same on every try: for the header of the other side. */
    idempotencyKey: string;
  }

  export interface StepOptions {
    key?: string | number;
    retry?: { max_attempts?: number; delay_ms?: number; factor?: number; max_delay_ms?: number };
    timeout_ms?: number;
    /** Files and folders that the step makes: a later attempt that comes to the step has them, too. */
    files?: string | string[];
    args?: unknown;
  }

  /** `signal` gives the wait up when it aborts. */
  export interface WaitOptions {
    key?: string | number;
    signal?: AbortSignal;
  }

  /** What frameworks ask before each turn of a model. Its names are those of their options. */
  export interface Steering {
    /** The AI SDK's. */
    prepareStep<M>(turn: { messages: M[] }): Promise<{ messages: M[] }>;
    /** The OpenAI Agents SDK's. */
    callModelInputFilter<I, D extends { input: I[] }>(turn: { modelData: D }): Promise<D>;
    /** Of LangGraph's `createReactAgent`; in LangChain's agents a middleware's `beforeModel`. */
    preModelHook<M>(): Promise<{ messages: M[] }>;
  }

  export interface ChildOptions extends WaitOptions {
    version?: string;
  }

  /** A run that was started did not succeed, or could not be started (`status` is `refused`, `code` says why). */
  export class ChildFailed extends Error {
    run_id: string | null;
    status: string | null;
    code: string | null;
  }

  /** No signal came in the time that `waitFor` was given. */
  export class SignalTimeout extends Error {}

  /** Thrown in a step: the step is not tried again. */
  export class NonRetryable extends Error {}

  /** Thrown in a step: the step is tried again after so many seconds. */
  export class RetryAfter extends Error {
    constructor(seconds: number, message?: string);
  }

  /** A message to a daemon. */
  export interface Message {
    run_id: string;
    input: unknown;
    context: Context;
    reply(result?: unknown): void;
    fail(error: unknown): void;
  }

  export const context: Context;
  export const emit: Context["emit"];
  export const progress: Context["progress"];
  export const log: Context["log"];
  export const saveState: Context["saveState"];
  export const usage: Context["usage"];
  export const tool: Context["tool"];
  export const artifact: Context["artifact"];
  export const interrupt: Context["interrupt"];
  export const messages: Context["messages"];
  export const step: Context["step"];
  export const branch: Context["branch"];
  export const now: Context["now"];
  export const uuid: Context["uuid"];
  export const random: Context["random"];
  export const sleep: Context["sleep"];
  export const sleepUntil: Context["sleepUntil"];
  export const waitFor: Context["waitFor"];
  export const first: Context["first"];
  export const continueAs: Context["continueAs"];
  export const keepWarm: Context["keepWarm"];
  export const newMessages: Context["newMessages"];
  export const steering: Context["steering"];
  export const signalUrl: Context["signalUrl"];
  export const runAgent: Context["runAgent"];
  export const startAgent: Context["startAgent"];
  export const map: Context["map"];
}
