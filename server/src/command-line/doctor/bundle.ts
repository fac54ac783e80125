/**
 * `turnpike support-bundle`: what a helper needs to know of a system, in one file that can be read before it is sent. It is built
 * from what is known to be harmless (numbers, switches, choices, versions, counts), so a new secret is left out by itself.
 */
import { open } from "node:fs/promises";
import { arch, cpus, platform, release, totalmem } from "node:os";
import { failureKindOf } from "../../../../contract/src/call-figures.ts";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import { OPTION_CATALOGUE } from "../../../../contract/src/options/catalogue.ts";
import type { OptionDefinition } from "../../../../contract/src/options/kinds.ts";
import { type Snapshot, openSnapshot } from "../../archive/snapshot.ts";
import { PROGRAM } from "../../composition/program.ts";
import type { Config } from "../../config.ts";
import { redact } from "../../observe/logger.ts";
import { objectOf, parseJson, textOf } from "../../util/json-read.ts";
import type { Command, CommandContext, CommandResult } from "../command.ts";
import { type Check, reasonOf } from "./check.ts";
import { examine, worstOf } from "./doctor.ts";
import { type TarFile, tarGz } from "./tar.ts";

const LAST_ERRORS = 200;
/** Kinds of options whose values are no text of an operator. */
const HARMLESS_KINDS: ReadonlySet<string> = new Set(["boolean", "integer", "decimal", "choice"]);

/** Numbers and switches as they are; of texts, which may hold anything, only whether they are set. */
function configurationOf(config: Config): object {
  const harmless = (value: unknown): unknown => {
    if (typeof value === "number" || typeof value === "boolean" || value === undefined) return value;
    if (Array.isArray(value)) return `${value.length} entries`;
    if (typeof value !== "object" || value === null) return "set";
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, harmless(inner)]));
  };
  const { databaseUrl, logLevel, ...others } = config;
  const engine = databaseUrl === undefined ? "sqlite" : new URL(databaseUrl).protocol.slice(0, -1);
  return {
    engine,
    logLevel,
    ...Object.fromEntries(Object.entries(others).map(([name, value]) => [name, harmless(value)])),
  };
}

/** The value where its kind has no room for a secret; of every other one how long it is. */
function shownOption(definition: OptionDefinition<unknown>, text: string): string {
  const hidden = `set, ${text.length} characters`;
  if (definition.isSecret || !HARMLESS_KINDS.has(definition.kind)) return hidden;
  try {
    return definition.read(text).normalised;
  } catch {
    return hidden; // no value of its kind: whatever it is
  }
}

async function optionsOf({ select }: Snapshot): Promise<object> {
  const definitions: Readonly<Record<string, OptionDefinition<unknown>>> = OPTION_CATALOGUE;
  const rows = await select("SELECT name, value FROM options ORDER BY name", []);
  const shown = rows.flatMap(([name, value]) => {
    const definition = Object.hasOwn(definitions, String(name)) ? definitions[String(name)] : undefined;
    // One of another version has a name that nothing vouches for.
    return definition === undefined ? [] : [[String(name), shownOption(definition, String(value))]];
  });
  return Object.fromEntries(shown);
}

async function countsOf({ tables, count }: Snapshot): Promise<object> {
  const counts: Record<string, number> = {};
  for (const { name } of tables) counts[name] = await count(name);
  return counts;
}

/** The last failed calls: when, at which channel, and how. Neither words of a caller nor of an upstream. */
async function errorsOf({ select }: Snapshot): Promise<object[]> {
  const rows = await select(
    "SELECT created_at, channel_id, use_time_ms, is_stream, other FROM logs WHERE type = ? ORDER BY id DESC LIMIT ?",
    [LOG_TYPE.error, LAST_ERRORS],
  );
  return rows.map(([at, channel_id, use_time_ms, is_stream, other]) => {
    const receipt = objectOf(parseJson(String(other)));
    const status = Number(receipt["status_code"]) || 0;
    const kind = failureKindOf(status, textOf(receipt["error_code"]));
    return { time: new Date(Number(at) * 1000).toISOString(), channel_id, status, kind, use_time_ms, is_stream };
  });
}

async function facetsOf({ select }: Snapshot): Promise<object> {
  const list = async (text: string, names: readonly string[]) =>
    (await select(text, [])).map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]])));
  return {
    leases: await list("SELECT name, expires_time FROM leases ORDER BY name", ["name", "expires_time"]),
    processes: await list("SELECT started_time, seen_time FROM processes", ["started_time", "seen_time"]),
    channels: await list("SELECT type, status, COUNT(*) FROM channels GROUP BY type, status ORDER BY type, status", [
      "type",
      "status",
      "count",
    ]),
  };
}

const file = (name: string, content: unknown): TarFile => ({
  name: `turnpike-support/${name}.json`,
  text: `${JSON.stringify(content, null, 2)}\n`,
});

/** As sentences alone: their values stand in them, and they are looked through. */
const withoutSecrets = (checks: readonly Check[]): Omit<Check, "code" | "values" | "repairCode">[] =>
  checks.map(({ code: _code, values: _values, repairCode: _repairCode, ...sentences }) => ({
    ...sentences,
    finding: redact(sentences.finding),
  }));

/** What the database has to say; its reason where it has none. */
async function filesOfDatabase(config: Config): Promise<TarFile[]> {
  try {
    const snapshot = await openSnapshot(config);
    try {
      return [
        file("tables", await countsOf(snapshot)),
        file("options", await optionsOf(snapshot)),
        file("errors", await errorsOf(snapshot)),
        file("processes", await facetsOf(snapshot)),
      ];
    } finally {
      await snapshot.close();
    }
  } catch (error) {
    return [file("database-away", { reason: redact(reasonOf(error)) })];
  }
}

async function versionsOf(): Promise<object> {
  const { node, v8, sqlite, openssl } = process.versions;
  const machine = {
    platform: platform(),
    release: release(),
    arch: arch(),
    cpus: cpus().length,
    memoryBytes: totalmem(),
  };
  return { program: PROGRAM.version, prices: PROGRAM.priceDataSet, node, v8, sqlite, openssl, ...machine };
}

/** Everything that is in it; the findings of the checks first. */
export async function bundleFiles(config: Config): Promise<TarFile[]> {
  const checks = await examine(config);
  return [
    file("doctor", { status: worstOf(checks), checks: withoutSecrets(checks) }),
    file("versions", await versionsOf()),
    file("configuration", configurationOf(config)),
    ...(await filesOfDatabase(config)),
  ];
}

async function writeBundle(config: Config, path: string, progress: CommandContext["progress"]): Promise<CommandResult> {
  // Before the work, and never over another file.
  const target = await open(path, "wx", 0o600);
  try {
    progress("looking at everything, some seconds");
    const files = await bundleFiles(config);
    const bytes = await tarGz(files, Math.floor(Date.now() / 1000));
    await target.writeFile(bytes);
    const names = files.map(({ name }) => name);
    const lines = [
      `${path} has ${names.length} files, ${bytes.length.toLocaleString("en")} bytes. Read them before you send it: tar xzf ${path}`,
    ];
    return { exitCode: 0, lines, data: { path, files: names, bytes: bytes.length } };
  } finally {
    await target.close();
  }
}

export const bundleCommand: Command = {
  name: "support-bundle",
  summary: "Writes what somebody who helps has to know into one file, without keys, names, addresses or prompts",
  operands: ["<file>"],
  options: {},
  examples: [["turnpike support-bundle support.tar.gz", "read it before you send it: it is text"]],
  run: ({ config, progress }, { words: [path = ""] }) => writeBundle(config(), path, progress),
  row: () => ({ code: "support_bundle_made", values: {} }),
};
