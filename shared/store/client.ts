import { readFileSync } from "node:fs";
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { createBatches, type InBatches } from "./batch.ts";
import { createMutexes, type WithMutex } from "../platform/lifecycle/mutex.ts";
import { createReadCache, type ReadCache } from "../platform/lifecycle/read-cache.ts";
import { tellSession } from "./tell-session.ts";
import { PrismaClient } from "./generated/client.ts";

/**
 * Two doors. `prisma`: reads, lists and writes of one table by its key. `sql`: each statement that fences, locks,
 * moves a run, touches several tables at once, runs often, or compares with Postgres' clock (see statement.ts).
 * Safe for concurrent use. `withMutex` is for callers that wait for one lock of Postgres: they hold no connection while they wait.
 * `inBatches` is for the statements of every run, which have connections of their own where there are enough: no list keeps them waiting.
 * `readCache` is for what may be a second old.
 */
export type Db = {
  sql: pg.Pool;
  prisma: PrismaClient;
  withMutex: WithMutex;
  inBatches: InBatches;
  readCache: ReadCache;
  /** All of this process' connections. */
  pools: readonly pg.Pool[];
  close(): Promise<void>;
};

/** A connection, or a pool of them. */
export type Queryable = Pick<pg.ClientBase, "query">;

/** Longer than any statement of ours takes. */
const answerMs = 20_000;

/** Of a process with at least `leastToShare` connections, so many do nothing but batches. */
const batchConnections = 3;
const leastToShare = 6;

type Options = {
  /** What Postgres' list of connections calls this process. */
  role?: "api" | "worker";
  /** Has the URL, and may get another one: connections that are opened from then on lead there. */
  urlFile?: string | undefined;
  /** False behind a pooler that gives each transaction another connection. Postgres then parses each statement each time. */
  prepares?: boolean;
  /** False: statements take whatever time they need, as those of maintenance by hand do. */
  limitsTime?: boolean;
  /** True: all connections are for reads, as those to a standby. */
  readsOnly?: boolean;
};

/** A connection whose statements have no names, so that it never needs what an earlier connection has prepared. */
class UnpreparedClient extends pg.Client {
  override query(config: unknown, ...rest: unknown[]): never {
    const unnamed = isNamed(config) ? { ...config, name: undefined } : config;
    return (super.query as (...all: unknown[]) => never).call(this, unnamed, ...rest);
  }
}

const isNamed = (config: unknown): config is { name: string } =>
  typeof config === "object" &&
  config !== null &&
  Object.getPrototypeOf(config) === Object.prototype &&
  "name" in config;

/** Clients that connect to what the file names when they are made. */
function clientThatFollows(file: string, prepares: boolean) {
  const Base: typeof pg.Client = prepares ? pg.Client : UnpreparedClient;
  return class extends Base {
    constructor(options?: pg.ClientConfig) {
      super({ ...options, ...readUrl(file) });
    }
  };
}

/** Returns nothing while the file is being replaced, or has something else: the URL of the start holds then. */
function readUrl(file: string): Pick<pg.ClientConfig, "connectionString"> {
  try {
    const connectionString = readFileSync(file, "utf8").trim();
    return /^postgres(ql)?:\/\//.test(connectionString) ? { connectionString } : {};
  } catch {
    return {};
  }
}

/**
 * The parameters of batches are lists, by which no plan gets better: Postgres would plan each statement five times more. And
 * Postgres plans for the tables as they are then: to read an empty one from end to end costs nothing, and a minute later it has thousands of
 * rows.
 * Before version 18 a plan that has to read a whole table counts as so expensive that Postgres would compile it (JIT) each time.
 */
const settingsForBatches = ["plan_cache_mode = force_generic_plan", "enable_seqscan = off", "jit = off"];

/** Opens lazily: the first query connects. `onIdleError` hears of connections that die while idle. */
export function openDb(
  url: string,
  poolSize: number,
  onIdleError: (error: Error) => void,
  { role, urlFile, prepares = true, limitsTime = true, readsOnly = false }: Options = {},
): Db {
  // 0: no limit.
  const statementMs = limitsTime ? answerMs + 1_000 : 0;
  function openPool(max: number, settings?: readonly string[]): pg.Pool {
    const pool = new pg.Pool({
      // A session of Postgres that a pooler hands on can be told nothing, either.
      ...(prepares ? { onConnect: tellSession(statementMs, settings) } : { Client: UnpreparedClient }),
      connectionString: url,
      max,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      // A connection to a server that is no longer the primary, or whose name leads elsewhere now, is not kept for ever.
      maxLifetimeSeconds: 900,
      ...(urlFile !== undefined && { Client: clientThatFollows(urlFile, prepares) }),
      // A connection that Postgres has lost would hold its statement, and the caller that waits for it, for a quarter of an hour.
      ...(limitsTime && { query_timeout: answerMs }),
      application_name: role ? `runfleet-${role}` : "runfleet",
    });
    pool.on("error", onIdleError);
    // One that dies between two statements of a transaction tells nobody else; the next statement fails, and that is enough.
    pool.on("connect", (client) => void client.on("error", () => undefined));
    return pool;
  }
  const forBatches = prepares && !readsOnly && poolSize >= leastToShare ? batchConnections : 0;
  const sql = openPool(poolSize - forBatches);
  const batching = forBatches > 0 ? openPool(forBatches, settingsForBatches) : sql;
  const pools = [...new Set([sql, batching])];
  const prisma = new PrismaClient({ adapter: new PrismaPg(sql) });
  return {
    sql,
    prisma,
    withMutex: createMutexes(),
    inBatches: createBatches(batching),
    readCache: createReadCache(),
    pools,
    async close() {
      await prisma.$disconnect();
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
}
