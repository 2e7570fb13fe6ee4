// What every attacking Node program is given: `probe` tells all that an earlier run may have changed.
import fs from "node:fs";
import os from "node:os";

export function quietly(act, ...args) {
  try {
    return act(...args);
  } catch (error) {
    return error.code ?? error.name;
  }
}

/** The names of those that neither threw nor answered with false. */
export function worked(attempts) {
  return Object.entries(attempts).flatMap(([name, attempt]) => {
    try {
      return attempt() === false ? [] : [name];
    } catch {
      return [];
    }
  });
}

export function burn(ms) {
  const until = process.cpuUsage().user + ms * 1_000;
  while (process.cpuUsage().user < until);
}

export const others = () =>
  fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number);

const read = (path) => quietly(() => fs.readFileSync(path, "latin1"));
const places = ["/tmp", "/dev/shm"];
const wanted = /^(Sig(?!Q)|Shd|Cap|NoNew|Seccomp|Groups|VmLck|Tracer|Umask)/;

const hasNamespaces = fs.existsSync("/run/agent");

/** How this run finds its sandbox; without namespaces much of it is the machine's. */
export function probe() {
  const own = {
    nice: os.getPriority(),
    files: fs.readdirSync(".").toSorted((one, other) => one.localeCompare(other)),
    environment: Object.entries(process.env)
      .filter(([name]) => !/TMPDIR|HOME|PWD/.test(name))
      .map((pair) => pair.join("="))
      .toSorted((one, other) => one.localeCompare(other)),
    polluted: [Object.keys(Object.prototype), typeof {}.marked, JSON.parse('{"a":1}').a],
  };
  if (!hasNamespaces) return own;
  return {
    ...own,
    limits: read("/proc/self/limits"),
    oom: read("/proc/self/oom_score_adj"),
    slack: read("/proc/self/timerslack_ns"),
    status: read("/proc/self/status")
      .split("\n")
      .filter((line) => wanted.test(line)),
    places: places.map((place) => [quietly(() => fs.readdirSync(place)), quietly(() => fs.statSync(place).mode)]),
    host: os.hostname(),
    network: ["tcp", "tcp6", "udp", "unix"].map((name) => read("/proc/net/" + name).split("\n").length),
  };
}

export const act = (attack, input) => (input.mode === "probe" ? probe() : attack(input));
