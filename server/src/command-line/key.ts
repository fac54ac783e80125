/** `turnpike key rotate`: encrypts with SECRET_KEY what a key of SECRET_KEY_PREVIOUS encrypted, alone or through a running server. */
import type { Config } from "../config.ts";
import { openDatabase } from "../db/database.ts";
import { keyValueStore } from "../db/key-value-store.ts";
import { pendingSteps } from "../db/migrations/migrate.ts";
import { openSecrets, secretKeyOf } from "../db/secrets.ts";
import { type Command, type CommandContext, type CommandResult, numberIn } from "./command.ts";
import { askServer } from "./control-socket.ts";
import { type Place, type RotationContext, type RotationStep, START, rotateStep } from "./rotation.ts";

type Step = (place: Place) => Promise<RotationStep>;

/** What is written with an old key while this runs is found by another pass; more than these means that a process still writes. */
const MOST_PASSES = 5;
const PROGRESS_EVERY_MS = 2_000;

interface Pass {
  resealed: number;
  /** Values that no key opens, by table and column. */
  unopened: Map<string, number>;
}

async function passThrough(step: Step, progress: CommandContext["progress"]): Promise<Pass> {
  const pass: Pass = { resealed: 0, unopened: new Map() };
  let saidMs = performance.now();
  for (let place: Place | undefined = START; place !== undefined;) {
    const { next, about, resealed, unopened }: RotationStep = await step(place);
    pass.resealed += resealed;
    if (unopened > 0) pass.unopened.set(about, (pass.unopened.get(about) ?? 0) + unopened);
    if (performance.now() - saidMs >= PROGRESS_EVERY_MS) {
      saidMs = performance.now();
      progress(`${about}: ${pass.resealed} values encrypted again`);
    }
    place = next;
  }
  return pass;
}

async function rotateBy(step: Step, progress: CommandContext["progress"]): Promise<CommandResult> {
  let total = 0;
  let pass = await passThrough(step, progress);
  for (let count = 1; pass.resealed > 0 && count < MOST_PASSES; count += 1) {
    total += pass.resealed;
    pass = await passThrough(step, progress);
  }
  total += pass.resealed;
  const unopened = [...pass.unopened.values()].reduce((sum, count) => sum + count, 0);
  const left = pass.resealed + unopened;
  const lines = [
    `${total} values were encrypted again with SECRET_KEY.`,
    ...[...pass.unopened].map(([place, count]) => `${place}: ${count} values open with no key that was given`),
    left === 0
      ? "No value needs another key: SECRET_KEY_PREVIOUS can be removed."
      : pass.resealed > 0
        ? "A process still writes with an earlier key: give every process this SECRET_KEY, then run this again."
        : `${left} values need another key: add it to SECRET_KEY_PREVIOUS, or enter them again.`,
  ];
  return {
    exitCode: left === 0 ? 0 : 1,
    lines,
    data: { resealed: total, left, unopened: Object.fromEntries(pass.unopened) },
  };
}

/** Opens the database with its keys for `work`. Throws an Error of one line. */
async function alone<Result>(config: Config, work: (context: RotationContext) => Promise<Result>): Promise<Result> {
  const database = await openDatabase(config);
  try {
    const pending = await pendingSteps(database);
    if (pending.length > 0)
      throw new Error(`The database lacks ${pending.length} steps to this version: run \`turnpike migrate\` first`);
    const secrets = await openSecrets(config, keyValueStore(database));
    return await work({ database, secrets, secretKey: (await secretKeyOf(config)) ?? "" });
  } finally {
    await database.close();
  }
}

/** The server's answer to a step; its failure is thrown. */
function stepOf({ exitCode, lines, data }: CommandResult): RotationStep {
  if (exitCode !== 0) throw new Error(lines.join("\n"));
  return data as RotationStep; // made by rotateStep in the server of the same program
}

/** Beside a running server with the embedded database the server does each step, with its own keys. */
async function rotate(config: Config, progress: CommandContext["progress"]): Promise<CommandResult> {
  const ask = (place: Place) => askServer(config.dataDir, { act: "rotate-key", place });
  const first = config.databaseUrl === undefined ? await ask(START) : undefined;
  if (first === undefined) return alone(config, (context) => rotateBy((place) => rotateStep(context, place), progress));
  const step: Step = async (place) => {
    const answer = await ask(place);
    if (answer === undefined)
      throw new Error("The server has ended meanwhile: run this again, it goes on where it was");
    return stepOf(answer);
  };
  const done = stepOf(first);
  const result = await rotateBy(step, progress);
  const resealed = ("resealed" in result.data ? Number(result.data.resealed) : 0) + done.resealed;
  const lines = [`${resealed} values were encrypted again with SECRET_KEY.`, ...result.lines.slice(1)];
  return { ...result, lines, data: { ...result.data, resealed } };
}

export const keyCommand: Command = {
  name: "key rotate",
  summary: "Encrypts with SECRET_KEY what a key of SECRET_KEY_PREVIOUS encrypted; exits 1 while another key is needed",
  operands: [],
  options: {},
  examples: [
    [
      "SECRET_KEY=<new> SECRET_KEY_PREVIOUS=<old> turnpike key rotate",
      "it can be stopped and run again, also beside servers",
    ],
  ],
  run: ({ config, progress }) => rotate(config(), progress),
  row: (result) => ({ code: "key_rotated", values: { count: numberIn(result, "resealed") } }),
};
