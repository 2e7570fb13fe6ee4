/** SIGUSR2 makes a worker deaf: the nudges that BullMQ has for it are never told, and the next poll of Postgres never ends. */
import { Worker } from "bullmq";
import pg from "pg";

let deaf = false;
process.on("SIGUSR2", () => (deaf = true));
const forever = new Promise(() => undefined);

const { _getNextJob } = Worker.prototype;
Worker.prototype._getNextJob = async function (...given) {
  const job = await _getNextJob.apply(this, given);
  return deaf ? forever : job;
};
const query = Reflect.get(pg.Pool.prototype, "query");
pg.Pool.prototype.query = function (statement, ...more) {
  return deaf && statement.name?.startsWith("find-unclaimed-runs-") ? forever : query.call(this, statement, ...more);
};
