import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";

type Service = {
  command?: string[];
  ports?: string[];
  environment?: Record<string, string>;
  healthcheck?: unknown;
  stop_grace_period?: string;
  depends_on?: Record<string, { condition: string }>;
};

const { services }: { services: Record<string, Service> } = parse(readFileSync("docker-compose.yml", "utf8"), {
  merge: true,
});

test("nothing is published beyond this machine's loopback", () => {
  const published = Object.values(services).flatMap(({ ports }) => ports ?? []);
  expect(published.length).toBeGreaterThan(0);
  for (const port of published) expect(port).toMatch(/^127\.0\.0\.1:/);
});

test("no secret has a default", () => {
  const text = readFileSync("docker-compose.yml", "utf8");
  const uses = text.match(/\$\{(POSTGRES_PASSWORD|REDIS_PASSWORD|ENCRYPTION_KEYS)[^}]*\}/g) ?? [];
  expect(uses.length).toBeGreaterThan(5);
  for (const use of uses) expect(use).toMatch(/:\?/);
});

test("Redis keeps what it has and evicts nothing", () => {
  expect(services["redis"]?.command?.join(" ")).toContain(
    "--appendonly yes --appendfsync everysec --maxmemory-policy noeviction",
  );
});

test("api and worker wait for the migrations, have health checks, and may drain before they are killed", () => {
  for (const name of ["api", "worker"]) {
    const service = services[name];
    expect(service?.depends_on?.["migrate"]?.condition).toBe("service_completed_successfully");
    expect(service?.healthcheck).toBeDefined();
    expect(service?.stop_grace_period).toBeDefined();
  }
  expect(Number(services["worker"]?.environment?.["SHUTDOWN_GRACE_MS"])).toBeLessThan(600_000);
});

test("each role's command is a file that the build makes", () => {
  for (const name of ["api", "worker", "migrate"]) {
    const file = services[name]?.command?.[1] ?? "";
    expect([file, existsSync(file)]).toEqual([file, true]);
  }
});
