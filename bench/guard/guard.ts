/**
 * `npm run bench -- guard [--against=<commit>] [--record=<release>]`: compares this checkout with an earlier commit, alternating on one
 * machine, in under four minutes. Fails where a call, a chunk, an idle server or a start costs more than bench/guard/report.ts allows.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Gateway } from "../gateways/gateway.ts";
import { startNginx } from "../gateways/nginx.ts";
import { type Build, startTurnpike, THIS_BUILD, type Turnpike } from "../gateways/turnpike.ts";
import { wrkLoad } from "../load/wrk.ts";
import { readResidentBytes } from "../machine/measure.ts";
import { streamLoad } from "../parts/streams.ts";
import type { Provider } from "../provider/provider.ts";
import { withSection } from "../run/sections.ts";
import { median } from "../run/statistics.ts";
import { builtAt, commitOf, newestTag } from "./other-tree.ts";
import { GUARDS, guardTable, lastRecorded, RELEASES_HEADING, releasesSection, verdictOf } from "./report.ts";
import type { Measured } from "./report.ts";
import { callsFor, cpuOfEach, inTurn } from "./turns.ts";

const STREAMS = 100;
/** A start is cheap to repeat and noisy; calls and chunks are measured in many short turns, since the machine changes by the second. */
const ROUNDS = { start: 6, call: 10, chunk: 7 } as const;
const SECONDS = { warm: 10, call: 2, chunk: 2, idle: 3 } as const;

type Values = { -readonly [Name in keyof Measured]: number[] };
const noValues = (): Values => ({
  callMicroseconds: [],
  chunkMicroseconds: [],
  idleMegabytes: [],
  startMilliseconds: [],
});

/** What a run has: where databases and scripts go, the provider, and both builds. */
interface Scene {
  readonly folder: string;
  readonly provider: Provider;
  readonly builds: readonly [before: Build, after: Build];
}

/** Starts each build afresh a few times: how long until it is ready, and what it keeps in memory after its first calls. */
async function measureStarts({ folder, provider, builds }: Scene, values: readonly Values[]): Promise<void> {
  for (let round = 0; round < ROUNDS.start; round += 1)
    for (const at of inTurn([0, 1] as const, round)) {
      const place = join(folder, `start-${round}-${at}`);
      const turnpike = await startTurnpike(provider.direct.port, place, {}, [], undefined, builds[at]);
      values[at]?.startMilliseconds.push(turnpike.readyMilliseconds);
      await wrkLoad(turnpike, 1, 1, folder);
      await delay(SECONDS.idle * 1000);
      values[at]?.idleMegabytes.push(readResidentBytes(turnpike.processId) / 1e6);
      await turnpike.stop();
    }
}

/** Calls and chunks of the subjects in turn, after each is warm. */
async function measureLoads(scene: Scene, subjects: readonly Gateway[], values: readonly Values[]): Promise<void> {
  const { folder, provider } = scene;
  const calls = (subject: Gateway, seconds: number) => callsFor(subject, seconds, folder);
  const chunks = (subject: Gateway) => async () => {
    const { chunks: count, failures } = await streamLoad({ provider }, subject, STREAMS, SECONDS.chunk);
    return { count, failures };
  };
  for (const subject of subjects) await calls(subject, SECONDS.warm)();
  const places = subjects.map((subject, at) => ({ subject, found: values[at] }));
  for (let round = 0; round < ROUNDS.call; round += 1)
    for (const { subject, found } of inTurn(places, round))
      found?.callMicroseconds.push(await cpuOfEach(subject, calls(subject, SECONDS.call)));
  for (const { subject } of places) await chunks(subject)();
  for (let round = 0; round < ROUNDS.chunk; round += 1)
    for (const { subject, found } of inTurn(places, round))
      found?.chunkMicroseconds.push(await cpuOfEach(subject, chunks(subject)));
}

/** Stops a server and throws where its ledger does not balance. */
async function closeBalanced(turnpike: Turnpike): Promise<void> {
  await turnpike.stop();
  if (!turnpike.books().balanced) throw new Error(`the ledger of ${turnpike.version} does not balance after its run`);
}

/** Median of the quotients with nginx in the same rounds. */
const againstNginx = (values: readonly number[], nginx: readonly number[]): number =>
  median(values.map((value, round) => value / (nginx[round] ?? Number.NaN)));

const optionOf = (args: readonly string[], name: string): string | undefined =>
  args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);

/** Measures, prints the table, and writes the row where a release is named. Gives whether every guard passed; throws where a call failed or books do not balance. */
export async function measureGuard(
  provider: Provider,
  place: { folder: string; cache: string },
  args: readonly string[],
  document: URL,
): Promise<boolean> {
  const text = readFileSync(document, "utf8");
  const reference = optionOf(args, "against") ?? newestTag() ?? lastRecorded(text);
  if (reference === undefined) throw new Error("name the commit to compare with: --against=<commit>");
  const before = await builtAt(commitOf(reference), join(place.cache, "trees"));
  const scene: Scene = { folder: place.folder, provider, builds: [before, THIS_BUILD] };
  const [old, now, nginx] = [noValues(), noValues(), noValues()];
  await measureStarts(scene, [old, now]);
  const start = (build: Build) =>
    startTurnpike(provider.direct.port, join(place.folder, `load-${build.name}`), {}, [], undefined, build);
  const [oldServer, newServer] = [await start(before), await start(THIS_BUILD)];
  const proxy = await startNginx(provider.direct.port, join(place.folder, "nginx"));
  await measureLoads(scene, [oldServer, newServer, proxy], [old, now, nginx]);
  for (const turnpike of [oldServer, newServer]) await closeBalanced(turnpike);
  await proxy.stop();
  const verdicts = GUARDS.map((guard) => verdictOf(guard, old, now));
  process.stdout.write(`${guardTable(verdicts, { before: before.name, after: THIS_BUILD.name })}\n`);
  const name = optionOf(args, "record");
  const release = {
    name: name ?? "",
    commit: commitOf("HEAD").slice(0, 8),
    date: new Date().toISOString().slice(0, 10),
    callAgainstNginx: againstNginx(now.callMicroseconds, nginx.callMicroseconds),
    chunkAgainstNginx: againstNginx(now.chunkMicroseconds, nginx.chunkMicroseconds),
    idleMegabytes: median(now.idleMegabytes),
    startMilliseconds: median(now.startMilliseconds),
  };
  process.stdout.write(
    `against nginx: a call ${release.callAgainstNginx.toFixed(2)} x, a chunk ${release.chunkAgainstNginx.toFixed(2)} x\n`,
  );
  if (name !== undefined) writeFileSync(document, withSection(text, RELEASES_HEADING, releasesSection(text, release)));
  return verdicts.every(({ passed }) => passed);
}
