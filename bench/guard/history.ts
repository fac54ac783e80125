/**
 * `npm run bench -- history <commit>[=<what it brought>]...`: CPU of a call of each of these commits, hot, side by side on one machine in turns of seconds, with
 * nginx between them; writes the table of docs/benchmarks.md that says what each step added. Ten commits take about ten minutes.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Gateway } from "../gateways/gateway.ts";
import { startNginx } from "../gateways/nginx.ts";
import { startTurnpike, type Turnpike } from "../gateways/turnpike.ts";
import type { Provider } from "../provider/provider.ts";
import { withSection } from "../run/sections.ts";
import { builtAt, commitOf } from "./other-tree.ts";
import { HISTORY_HEADING, historySection } from "./report.ts";
import type { Step } from "./report.ts";
import { callsFor, cpuOfEach, inTurn } from "./turns.ts";

/** Rounds of `call` seconds, after so long a load on each that its code is compiled. */
const ROUNDS = 8;
const SECONDS = { warm: 30, call: 2 } as const;

const git = (...args: string[]): string => execFileSync("git", args, { encoding: "utf8" }).trim();

/** Measures the commits in the order of their names, prints the table and writes it. Throws where a call failed or a ledger does not balance. */
export async function measureHistory(
  provider: Provider,
  place: { folder: string; cache: string },
  references: readonly string[],
  circumstances: readonly string[],
  document: URL,
): Promise<void> {
  if (references.length === 0) throw new Error("name the commits: npm run bench -- history <commit>[=<what>]...");
  const named = references.map((reference) => {
    const [commit = "", ...what] = reference.split("=");
    return { commit: commitOf(commit), what: what.join("=") };
  });
  const builds = [];
  for (const { commit } of named) builds.push(await builtAt(commit, join(place.cache, "trees")));
  const servers: Turnpike[] = [];
  for (const build of builds)
    servers.push(await startTurnpike(provider.direct.port, join(place.folder, build.name), {}, [], undefined, build));
  const nginx = await startNginx(provider.direct.port, join(place.folder, "nginx"));
  const values = await measureInTurn([nginx, ...servers], place.folder);
  for (const server of servers) {
    await server.stop();
    if (!server.books().balanced) throw new Error(`the ledger of ${server.version} does not balance after its run`);
  }
  await nginx.stop();
  const [ofNginx = [], ...ofServers] = values;
  const steps = named.map(({ commit, what }, at): Step => ({
    commit: commit.slice(0, 8),
    date: git("log", "-1", "--format=%cs", commit),
    what: what === "" ? git("log", "-1", "--format=%s", commit) : what,
    callMicroseconds: ofServers[at] ?? [],
  }));
  const section = historySection(steps, ofNginx, circumstances);
  process.stdout.write(`${section}\n`);
  writeFileSync(document, withSection(readFileSync(document, "utf8"), HISTORY_HEADING, section));
}

/** CPU of a call in microseconds, for each subject and round. */
async function measureInTurn(subjects: readonly Gateway[], folder: string): Promise<number[][]> {
  for (const subject of subjects) await callsFor(subject, SECONDS.warm, folder)();
  const places = subjects.map((subject) => ({ subject, found: [] as number[] }));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { subject, found } of inTurn(places, round))
      found.push(await cpuOfEach(subject, callsFor(subject, SECONDS.call, folder)));
  return places.map(({ found }) => found);
}
