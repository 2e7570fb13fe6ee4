#!/usr/bin/env node
// Prisma Migrate without its native engine, which the CLI would download: this file speaks the engine's protocol
// (command line, then one JSON-RPC message per line on stdin and stdout) and lets the WebAssembly build of the same
// engine, from npm, do the work over `pg`. For development only: the protocol is Prisma's own affair, so the versions
// of prisma, @prisma/schema-engine-wasm and @prisma/adapter-pg move together, with test/prisma/authoring.test.ts.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { createInterface } from "node:readline";
import { PrismaPg } from "@prisma/adapter-pg";
import { ColumnTypeEnum, bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import * as engineBindings from "@prisma/schema-engine-wasm/schema_engine_bg";
import pg from "pg";

const args = process.argv.slice(2);
const valuesOf = (name) => args.flatMap((arg, i) => (arg === name ? [args[i + 1]] : []));
const databaseUrl = JSON.parse(valuesOf("--datasource")[0] ?? "{}").url ?? process.env.DATABASE_URL;

if (args.includes("--version")) process.stdout.write("schema-engine-cli wasm\n");
else if (args.includes("can-connect-to-database")) await canConnect();
else if (args.includes("create-database")) await createDatabase();
else await serve();
process.exit();

// ── Commands ──

async function canConnect() {
  try {
    await withClient(databaseUrl, () => undefined);
  } catch (error) {
    // The CLI passes over the first line, then reads log lines: P1003 makes it create the database.
    const fields = { error_code: error.code === "3D000" ? "P1003" : "P1001", message: error.message };
    process.stderr.write(`\n${JSON.stringify({ level: "ERROR", target: "schema_engine::logger", fields })}\n`);
    process.exitCode = 1;
  }
}

async function createDatabase() {
  const name = decodeURIComponent(new URL(databaseUrl).pathname.slice(1));
  await withClient(withDatabase(databaseUrl, "postgres"), (client) =>
    client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)}`),
  );
}

// ── The engine's JSON-RPC ──

async function serve() {
  await loadWasm();
  let engine;
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line);
    try {
      engine ??= await createEngine();
      answer({ id, result: await call(engine, method, params ?? {}) });
    } catch (error) {
      answer({ id, error: { code: 4466, message: error.message, data: errorData(error) } });
    }
  }
}

async function call(engine, method, params) {
  const result = await engine[method === "getDatabaseVersion" ? "version" : method](params);
  if (method !== "diff" || result.stdout == null) return result ?? null;
  // The native engine prints a diff by a call back to the CLI; the WebAssembly one returns it.
  answer({ id: 0, method: "print", params: { content: result.stdout } });
  return { ...result, stdout: null };
}

function answer(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function errorData(error) {
  let known = {};
  try {
    known = JSON.parse(error.message);
  } catch {
    // A plain sentence.
  }
  return { is_panic: false, message: known.message ?? error.message, error_code: error.code ?? known.error_code };
}

async function loadWasm() {
  // To optimize the engine takes longer than all that it does. The flags are those of shared/platform/lifecycle/run-process.ts.
  for (const flag of ["--liftoff-only", "--no-wasm-tier-up", "--no-wasm-dynamic-tiering"]) setFlagsFromString(flag);
  const file = fileURLToPath(import.meta.resolve("@prisma/schema-engine-wasm/schema_engine_bg"));
  const bytes = readFileSync(file.replace(/\.js$/, ".wasm"));
  const { instance } = await WebAssembly.instantiate(bytes, { "./schema_engine_bg.js": engineBindings });
  engineBindings.__wbg_set_wasm(instance.exports);
  // The engine's panic hook calls it.
  globalThis.PRISMA_WASM_PANIC_REGISTRY = { set_message: (message) => process.stderr.write(`${message}\n`) };
  instance.exports.__wbindgen_start();
}

function createEngine() {
  const files = valuesOf("--datamodels").map((file) => [file, readFileSync(file, "utf8")]);
  const datamodels = files.length > 0 ? files : [["empty.prisma", 'datasource db {\n  provider = "postgresql"\n}']];
  const adapters = bindMigrationAwareSqlAdapterFactory(adapterFactory());
  return engineBindings.SchemaEngine.new({ datamodels }, () => undefined, adapters);
}

// ── The adapter, with what Migrate needs and adapter-pg lacks ──

function adapterFactory() {
  const factory = new PrismaPg({ connectionString: databaseUrl });
  const connect = factory.connect.bind(factory);
  factory.connect = async () => forMigrate(await connect());
  factory.connectToShadowDb = connectToShadow;
  return factory;
}

/** adapter-pg's own would connect to the real database again when it was given a URL, and Migrate empties what it gets. */
async function connectToShadow() {
  const name = `prisma_shadow_${crypto.randomUUID().replaceAll("-", "")}`;
  await withClient(databaseUrl, (client) => client.query(`CREATE DATABASE "${name}"`));
  const shadow = new PrismaPg({ connectionString: withDatabase(databaseUrl, name) });
  const adapter = forMigrate(await shadow.connect());
  const dispose = adapter.dispose.bind(adapter);
  adapter.dispose = async () => {
    await dispose();
    await withClient(databaseUrl, (client) => client.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`));
  };
  return adapter;
}

function forMigrate(adapter) {
  const queryRaw = adapter.queryRaw;
  // Postgres' catalogs have columns of type "char" (OID 18), which adapter-pg refuses and the engine reads as Character.
  adapter.queryRaw = async (query) => {
    const charColumns = [];
    const performIO = async (inner) => {
      const result = await adapter.performIO(inner);
      for (const [i, field] of result.fields.entries()) {
        if (field.dataTypeID !== 18) continue;
        charColumns.push(i);
        field.dataTypeID = pg.types.builtins.BPCHAR;
      }
      return result;
    };
    const resultSet = await queryRaw.call(Object.create(adapter, { performIO: { value: performIO } }), query);
    for (const i of charColumns) resultSet.columnTypes[i] = ColumnTypeEnum.Character;
    return resultSet;
  };
  // adapter-pg splits a script at each `;`, those in comments and literals too.
  adapter.executeScript = async (script) => {
    try {
      await adapter.underlyingDriver().query(script);
    } catch (error) {
      adapter.onError(error);
    }
  };
  return adapter;
}

// ── pg ──

async function withClient(connectionString, use) {
  const client = new pg.Client({ connectionString });
  try {
    await client.connect();
    await use(client);
  } finally {
    await client.end();
  }
}

function withDatabase(connectionString, name) {
  const url = new URL(connectionString);
  url.pathname = `/${name}`;
  return url.href;
}
