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

/** Targets that a sandbox must keep its agent from: like the worker's own files, sockets and processes, but open to every user. */
export type CanaryTargets = {
  secret: string;
  unix: string;
  abstract: string;
  tcp: number;
  udp: number;
  /** A path where no file may appear. */
  outside: string;
  /** The pid of a process of the worker's user, and a value in its environment. */
  bystander: number;
  mark: string;
  /** False when an attempt reached a target, whatever the attempt reported. */
  isUntouched(): boolean;
  close(): Promise<void>;
};

export async function openCanaryTargets(): Promise<CanaryTargets> {
  const mark = randomBytes(12).toString("hex");
  const directory = mkdtempSync(join(tmpdir(), `${ownerTag()}-canary-targets-`));
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
  // The longest possible name: Node pads shorter ones with zeros, and other programs then can't find them by name.
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
    bystander: bystander.pid ?? 0,
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
