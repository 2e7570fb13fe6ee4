import { spawn } from "node:child_process";
import { readEnv } from "../shared/platform/config/env.ts";
import { quantile } from "./quantile.ts";

/** Without the packages of the machine, whose `.pth` files double the time on some machines. */
const args = ["-I", "-S", "-c", "pass"];

/** Starts Python with an empty program. Returns how long it took, in ms: the unit of the ratios. */
export function timeBareStart(): Promise<number> {
  const at = performance.now();
  return new Promise((resolve, reject) => {
    spawn(readEnv()["PYTHON"] ?? "/usr/bin/python3", args, { stdio: "ignore" })
      .once("error", reject)
      .once("exit", () => resolve(performance.now() - at));
  });
}

/** Returns the median of some bare starts, in ms. */
export async function medianBareStart(rounds = 30): Promise<number> {
  const times = [];
  for (let round = 0; round < rounds; round += 1) times.push(await timeBareStart());
  return quantile(times, 0.5);
}
