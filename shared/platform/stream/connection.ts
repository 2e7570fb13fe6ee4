import { readFileSync } from "node:fs";
import { Cluster, type ClusterOptions, Redis, type RedisOptions } from "ioredis";
import { type RedisAddress, readRedisUrl, urlOf } from "../config/redis-url.ts";
import { TlsConnector } from "./tls-connector.ts";
import { writeTogether } from "./write-together.ts";

/** A connection to a Redis, or connections to the nodes of a cluster. */
export type RedisClient = Redis | Cluster;

/** Random, so that the processes of a fleet don't come back at the same moment. */
const retryDelay = (tries: number): number => 10 + Math.random() * Math.min(100 * 2 ** tries, 1_000);

/** After a failover the same address leads to the new primary, but this connection leads to the old one. */
const isDemoted = (error: Error): boolean => error.message.includes("READONLY");

/**
 * Opens a connection for commands that must fail rather than wait: no offline queue, one retry, 2 s for each command. It
 * reconnects by itself. `onError` is called for each fault of the connection, which ioredis would print otherwise.
 */
export function connectRedis(address: RedisAddress, onError: (error: Error) => void): RedisClient {
  const options = { maxRetriesPerRequest: 1, commandTimeout: 2_000, connectTimeout: 5_000, socketTimeout: 5_000 };
  return connect(address, { ...options, enableOfflineQueue: false }, onError);
}

const pingMs = 10_000;

/**
 * Opens a connection for subscriptions. It reconnects without a time limit and subscribes again by itself. It also pings:
 * a connection that is dead without having been closed would otherwise receive nothing for ever.
 */
export function connectSubscriber(address: RedisAddress, onError: (error: Error) => void): RedisClient {
  const options = { maxRetriesPerRequest: null, autoResubscribe: true, socketTimeout: 15_000 };
  const redis = connect(address, options, onError);
  const pings = setInterval(
    () => void (redis.status === "ready" && redis.ping().catch(() => undefined)),
    pingMs,
  ).unref();
  redis.once("end", () => clearInterval(pings));
  return redis;
}

type Options = Pick<
  RedisOptions,
  | "maxRetriesPerRequest"
  | "commandTimeout"
  | "connectTimeout"
  | "socketTimeout"
  | "autoResubscribe"
  | "enableOfflineQueue"
>;

function connect(address: RedisAddress, given: Options, onError: (error: Error) => void): RedisClient {
  const redis = open(address, given);
  redis.on("error", onError);
  writeTogether(redis);
  return redis;
}

function open(address: RedisAddress, given: Options): RedisClient {
  const place = readRedisUrl(urlOf(address));
  if (place === null) throw new Error("REDIS_URL can't be read.");
  const retryStrategy = typeof address === "string" ? retryDelay : retryAt(address.file);
  const options = { ...given, retryStrategy, reconnectOnError: isDemoted };
  if (place.kind === "single")
    return new Redis(place.url, { ...options, ...(place.url.startsWith("rediss:") && { Connector: TlsConnector }) });
  const { nodes, tls, username, password } = place;
  const login = { ...(username && { username }), ...(password && { password }), ...(tls && { tls: {} }) };
  if (place.kind === "cluster") return new Cluster(nodes, clusterOptions(given, login));
  const { master, db, sentinelPassword } = place;
  // Without ioredis' `failoverDetector`: it may close a connection that is being opened, which then never opens again.
  return new Redis({
    ...options,
    ...login,
    ...(tls && { enableTLSForSentinelMode: true, sentinelTLS: {} }),
    ...(sentinelPassword !== undefined && { sentinelPassword }),
    db,
    name: master,
    sentinels: nodes,
    sentinelRetryStrategy: retryDelay,
  });
}

/**
 * A connection that was lost is opened again as the file says by then. ioredis calls this on the connection's own options, also
 * on those that BullMQ has copied for a connection of its own.
 */
const retryAt = (file: string) =>
  function retry(this: RedisOptions, tries: number): number {
    Object.assign(this, readLogin(file));
    return retryDelay(tries);
  };

/** Returns nothing while the file is being replaced, or has something else: what was known before holds then. */
function readLogin(file: string): RedisOptions {
  const place = readRedisUrl(readText(file));
  if (place === null) return {};
  if (place.kind !== "single") return { username: place.username, password: place.password };
  if (!URL.canParse(place.url)) return {};
  const { hostname, port, username, password } = new URL(place.url);
  return {
    host: hostname.replaceAll(/[[\]]/g, ""),
    port: Number(port || 6379),
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return "";
  }
}

/** How often a command follows the slots of a cluster that fails over, with `retryDelayOnFailover` between. */
const maxRedirections = 8;

function clusterOptions({ enableOfflineQueue = true, ...rest }: Options, login: Login) {
  return {
    enableOfflineQueue,
    maxRedirections,
    clusterRetryStrategy: retryDelay,
    clusterNodeRetryStrategy: retryDelay,
    slotsRefreshTimeout: 2_000,
    // Nodes may be known by names that are certified, and not by their addresses.
    dnsLookup: (address, callback) => callback(null, address),
    redisOptions: { ...rest, ...login, ...(login.tls && { Connector: TlsConnector }) },
  } satisfies ClusterOptions;
}

type Login = Pick<RedisOptions, "username" | "password" | "tls">;
