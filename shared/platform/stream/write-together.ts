import { Cluster, type Redis } from "ioredis";

/**
 * Sends what one turn of the event loop asks of Redis in one write: under load that is one system call here and one wake-up there for many
 * runs. A single command waits until its turn is over.
 */
export function writeTogether(redis: Redis | Cluster): void {
  if (redis instanceof Cluster) redis.on("+node", holdWrites);
  else holdWrites(redis);
}

function holdWrites(redis: Redis): void {
  // Each new connection has a socket of its own.
  redis.on("connect", () => {
    const { stream } = redis;
    const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
    let isHeld = false;
    stream.write = (...args: unknown[]) => {
      if (!isHeld) {
        isHeld = true;
        stream.cork();
        setImmediate(() => {
          isHeld = false;
          stream.uncork();
        });
      }
      return write(...args);
    };
  });
}
