/** `npm run bench -- sockets`: what a socket of /v1/responses adds to a call, and what an open one costs in memory. */
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import type { Footprint } from "../../tests/support/systems/measured-server.ts";
import { startSoakScene } from "../../tests/support/soak/scene.ts";
import { UPSTREAM_FORMATS } from "../../tests/support/clients/upstream-formats.ts";
import { startModule, stopProcess } from "../machine/children.ts";
import { withSection } from "../run/sections.ts";
import type { ClientAnswer, ClientOrder } from "./client.ts";
import { type Round, SOCKETS_HEADING, socketsSection, verdictOf } from "./report.ts";

const SOCKETS = 1_000;
/** Rounds of one call of each socket. */
const ROUNDS = 10;
/** Two calls in this time, so that a shared machine is not at its end: there it would measure the queue. */
const EVERY_MS = 11;
/** All rounds together; a busy machine makes fewer calls in it. */
const ASKING_MS = 130_000;
/** Calls after which what they need is compiled, which is no cost of a socket. */
const WARM = { sockets: 50, calls: 500, withinMs: 15_000 } as const;
const ANSWER = { chunks: 4, text: "A turnpike is a road that one pays to use." } as const;

/** A load client that answers each order. */
function startClient() {
  const child = startModule(new URL("client.ts", import.meta.url), [], { serialization: "advanced" });
  const ask = async (order: ClientOrder): Promise<ClientAnswer> => {
    const answered = once(child, "message");
    child.send(order);
    const [answer] = (await Promise.race([answered, once(child, "exit")])) as [ClientAnswer];
    if (typeof answer !== "object" || answer === null) throw new Error("the load client ended");
    return answer;
  };
  return { ask, stop: () => stopProcess(child) };
}

const perSocket = (before: Footprint, after: Footprint) => ({
  resident: (after.residentBytes - before.residentBytes) / SOCKETS,
  heap: (after.heapBytes - before.heapBytes) / SOCKETS,
});

/** Asks in rounds, each over every socket and as often over HTTP, until the time is over. */
async function askInRounds(
  client: ReturnType<typeof startClient>,
): Promise<{ rounds: Round[]; failures: Record<string, number> }> {
  const endMs = performance.now() + ASKING_MS;
  const rounds: Round[] = [];
  const failures: Record<string, number> = {};
  while (rounds.length < ROUNDS && performance.now() < endMs) {
    const withinMs = endMs - performance.now();
    const answer = await client.ask({ kind: "ask", calls: SOCKETS, everyMs: EVERY_MS, withinMs });
    rounds.push(answer);
    for (const [reason, count] of Object.entries(answer.failures)) failures[reason] = (failures[reason] ?? 0) + count;
  }
  return { rounds, failures };
}

/** Measures, prints the section with its verdict and writes it into the document. Gives whether every call was answered, the books balance and no limit is missed. */
export async function measureSockets(where: readonly string[], document: URL): Promise<boolean> {
  const scene = await startSoakScene(() => ANSWER);
  const client = startClient();
  const { model = "" } = UPSTREAM_FORMATS.find(({ name }) => name === "openai-responses") ?? {};
  const target = { url: scene.url, key: scene.key, model };
  try {
    await client.ask({ kind: "open", ...target, sockets: WARM.sockets });
    const warm = await client.ask({ kind: "ask", ...WARM, everyMs: EVERY_MS });
    if (Object.keys(warm.failures).length > 0) {
      process.stdout.write(
        `No verdict: the first ${WARM.calls} calls were too many for this machine now, ${JSON.stringify(warm.failures)}\n`,
      );
      return false;
    }
    await client.ask({ kind: "close" });
    await scene.untilQuiet();
    await client.ask({ kind: "open", ...target, sockets: SOCKETS });
    await client.ask({ kind: "close" });
    await scene.untilQuiet();
    // What 1,000 sockets once took of the memory is there by now, so that what is measured is what they hold.
    const before = await scene.measure();
    await client.ask({ kind: "open", ...target, sockets: SOCKETS });
    const idle = await scene.measure();
    const { rounds, failures } = await askInRounds(client);
    await scene.untilQuiet();
    const kept = await scene.measure();
    await client.ask({ kind: "close" });
    await scene.untilQuiet();
    const after = await scene.measure();
    const { wrongValues } = await scene.close();
    const [idleBytes, keptBytes] = [perSocket(before, idle), perSocket(after, kept)];
    const found = { sockets: SOCKETS, wantedRounds: ROUNDS, rounds, failures, idleBytes, keptBytes, wrongValues };
    const section = socketsSection(found, where);
    process.stdout.write(`${section}\n`);
    writeFileSync(document, withSection(readFileSync(document, "utf8"), SOCKETS_HEADING, section));
    return verdictOf(found) !== "missed";
  } finally {
    await client.stop();
    await scene.close();
  }
}
