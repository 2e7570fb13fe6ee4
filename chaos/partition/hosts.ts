import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { closeInReverse, type Close } from "../../shared/platform/lifecycle/close-in-reverse.ts";

const run = promisify(execFile);
const ip = (...args: string[]): Promise<unknown> => run("ip", args);

/** A network namespace with an address of its own, which a cable connects with the others. */
export type Host = {
  name: string;
  address: string;
  /** What a command is put behind to run in this host. */
  enter: readonly [string, ...string[]];
  /** Pulls the cable: nothing arrives any more, in either direction, and nobody is told. */
  cut(): Promise<void>;
  mend(): Promise<void>;
};

export type Hosts = {
  /** The address of this process' own namespace in the hosts' network. */
  address: string;
  hosts: [Host, Host];
  close(): Promise<void>;
};

/** Makes two hosts on one bridge. Throws one sentence where this machine or user can't have them. */
export async function openHosts(): Promise<Hosts> {
  const tag = `rf${randomBytes(3).toString("hex")}`;
  const net = `10.213.${randomBytes(1)[0] ?? 0}`;
  const bridge = `${tag}br`;
  const opened: Close[] = [];
  try {
    await ip("link", "add", bridge, "type", "bridge");
    opened.push(async () => void (await ip("link", "delete", bridge)));
    await ip("address", "add", `${net}.1/24`, "dev", bridge);
    await ip("link", "set", bridge, "up");
    const host = async (letter: string, address: string): Promise<Host> => {
      const name = `${tag}${letter}`;
      const [cable, end] = [`${name}0`, `${name}1`];
      await ip("netns", "add", name);
      // Its end of the cable, and with it the other end, goes with the namespace.
      opened.push(async () => void (await ip("netns", "delete", name)));
      await ip("link", "add", cable, "type", "veth", "peer", "name", end, "netns", name);
      await ip("link", "set", cable, "master", bridge, "up");
      const inside = (...args: string[]) => ip("-n", name, ...args);
      await inside("address", "add", `${address}/24`, "dev", end);
      await inside("link", "set", end, "up");
      await inside("link", "set", "lo", "up");
      return {
        name: `host-${letter}`,
        address,
        enter: ["ip", "netns", "exec", name],
        cut: async () => void (await ip("link", "set", cable, "nomaster")),
        mend: async () => void (await ip("link", "set", cable, "master", bridge)),
      };
    };
    const hosts: [Host, Host] = [await host("a", `${net}.2`), await host("b", `${net}.3`)];
    return { address: `${net}.1`, hosts, close: () => closeInReverse(opened) };
  } catch (error) {
    await closeInReverse(opened);
    throw new Error("This machine gives no network namespaces: it takes Linux, root and iproute2.", { cause: error });
  }
}
