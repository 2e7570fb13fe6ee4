import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, statSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ownerTag } from "./owner-tag.ts";

/** Things of the worker's kind, open to every user of the machine, that a sandbox must keep its agent from. */
export type Decoys = {
  secret: string;
  unix: string;
  abstract: string;
  tcp: number;
  udp: number;
  /** A file that must not come to be. */
  outside: string;
  /** A process of the worker's user, and the value in its environment. */
  decoy: number;
  mark: string;
  /** False when an agent got through to one of them, whatever it says itself. */
  isUntouched(): boolean;
  close(): Promise<void>;
};

export async function openDecoys(): Promise<Decoys> {
  const mark = randomBytes(12).toString("hex");
  const directory = mkdtempSync(join(tmpdir(), `${ownerTag()}-decoys-`));
  const [secret, unix, outside] = ["secret", "unix", "outside"].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  chmodSync(directory, 0o777);
  writeFileSync(secret, mark, { mode: 0o644 });
  const { ctimeMs } = statSync(secret);

  let touched = false;
  const listen = (where: string | { port: number; host: string }): Promise<Server> => {
    const server = createServer((socket) => {
      touched = true;
      socket.destroy();
    });
    return new Promise((resolve, reject) => server.once("error", reject).listen(where, () => resolve(server)));
  };
  // As long as a name can be: Node pads shorter ones with zeros, and then nobody finds them by their name.
  const abstract = mark.padEnd(107, "-");
  const onLinux = process.platform === "linux";
  const tcpServer = await listen({ port: 0, host: "127.0.0.1" });
  const servers = [tcpServer, await listen(unix), ...(onLinux ? [await listen(`\0${abstract}`)] : [])];
  chmodSync(unix, 0o777);
  const datagrams = createSocket("udp4", () => (touched = true)).bind(0, "127.0.0.1");
  await once(datagrams, "listening");
  const bystander = spawn("/bin/sleep", ["30"], { env: { RUNFLEET_CANARY: mark }, stdio: "ignore" });

  return {
    secret,
    unix,
    outside,
    mark,
    abstract,
    tcp: (tcpServer.address() as AddressInfo).port,
    udp: datagrams.address().port,
    decoy: bystander.pid ?? 0,
    isUntouched: () =>
      !touched &&
      !existsSync(outside) &&
      statSync(secret).ctimeMs === ctimeMs &&
      bystander.exitCode === null &&
      bystander.signalCode === null,
    close: async () => {
      bystander.kill("SIGKILL");
      for (const server of servers) server.close();
      datagrams.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
