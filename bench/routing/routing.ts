/**
 * `npm run bench -- routing`: the time of choosing a channel, of bringing an edit into effect and of a page of the list, at 500 and 5,000 channels.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { rebuildAbilities } from "../../server/src/console/channels/abilities.ts";
import { sealChannelKey } from "../../server/src/db/secrets.ts";
import { bumpVersion } from "../../server/src/db/versions.ts";
import { Conversations } from "../../server/src/channels/conversations.ts";
import { route } from "../../server/src/relay/routing/route.ts";
import type { Snapshot } from "../../server/src/snapshot/snapshot.ts";
import { type ChannelScene, openChannelScene } from "../../tests/support/systems/channel-scene.ts";
import { routedCall, routingOver } from "../../tests/support/relay/routed-call.ts";
import { withSection } from "../run/sections.ts";
import { type Measured, ROUTING_HEADING, routingSection } from "./report.ts";

const SIZES = [500, 5_000] as const;
const ROUNDS = 5;
const CHOICES = 20_000;
const EDITS = 5;
const ROWS_PER_INSERT = 50;
const MODELS = Array.from({ length: 200 }, (_, place) => `model-${place}`);

/** Copies of the first channel until there are so many, with their abilities. */
async function fillUp({ site, make }: ChannelScene, count: number): Promise<void> {
  const { database, secrets, snapshot } = site.foundation;
  const first = await make({ models: MODELS.join(","), groups: ["default"] });
  const { id: _id, ...same } = await database.kysely
    .selectFrom("channels")
    .selectAll()
    .where("id", "=", first)
    .executeTakeFirstOrThrow();
  for (let made = 1; made < count; made += ROWS_PER_INSERT) {
    const size = Math.min(ROWS_PER_INSERT, count - made);
    await database.kysely.transaction().execute(async (transaction) => {
      const changed_version = await bumpVersion(transaction, "channels");
      const rows = Array.from({ length: size }, (_, place) => ({
        ...same,
        ...sealChannelKey(secrets, `sk-bench-${made + place}`),
        id: first + made + place,
        name: `channel ${made + place}`,
        weight: (made + place) % 100,
        tag: `tag ${(made + place) % 40}`,
        changed_version,
      }));
      await transaction.insertInto("channels").values(rows).execute();
      await rebuildAbilities(transaction, rows);
    });
  }
  await snapshot.refresh();
}

/** Processor time of this process in microseconds: what else the machine does counts for nothing. */
function cpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Microseconds of the first channel of a call, by each of the options; one number a round. */
async function choices(snapshot: Snapshot, channels: number): Promise<Measured[]> {
  const found: Measured[] = [];
  for (const ChannelChoice of ["weight", "latency", "cost"] as const) {
    const options = { ...snapshot.options, ChannelChoice };
    const context = await routingOver({
      ...snapshot,
      options,
      tiersFor: (group, model) => snapshot.tiersFor(group, model),
      upstreamPriceOf: snapshot.upstreamPriceOf,
    });
    const values = Array.from({ length: ROUNDS }, () => {
      const [begun, nowMs] = [cpuUs(), performance.now()];
      for (let choice = 0; choice < CHOICES; choice += 1) {
        const model = MODELS[choice % MODELS.length] ?? "";
        const [first] = route(routedCall(context, { model }));
        if (first === undefined) throw new Error(`no channel has ${model}`);
        const kind = { operation: "chat", model, isStream: true };
        if (choice % 100 === 0) context.channelLatencies.note(kind, first.id, 100 + (choice % 7) * 50, nowMs);
      }
      return (cpuUs() - begun) / CHOICES;
    });
    // The first round makes the tiers of every model, which an edit has to as well.
    found.push({ channels, kind: "choice", what: `choosing by ${ChannelChoice}`, values: values.slice(1) });
  }
  return found;
}

/** The same with prompt cache affinity: half of the calls have a channel, which is looked up and stored. */
async function heldChoices(snapshot: Snapshot, channels: number): Promise<Measured> {
  const conversations = new Conversations({
    isShared: false,
    share: async () => undefined,
    shared: async () => undefined,
  });
  const context = await routingOver({
    ...snapshot,
    tiersFor: (group, model) => snapshot.tiersFor(group, model),
    upstreamPriceOf: snapshot.upstreamPriceOf,
  });
  const values = Array.from({ length: ROUNDS }, () => {
    const begun = cpuUs();
    for (let choice = 0; choice < CHOICES; choice += 1) {
      const model = MODELS[choice % MODELS.length] ?? "";
      const key = `conversation ${choice % (CHOICES / 2)}`;
      const holder = conversations.holderOf(key, 0);
      const held = holder === undefined || holder instanceof Promise ? undefined : { ...holder, isOnlyThere: false };
      const [first] = route({ ...routedCall(context, { model }), held });
      if (first === undefined) throw new Error(`no channel has ${model}`);
      conversations.note(key, { channelId: first.id, keyId: 0 }, 3_600, 0);
    }
    return (cpuUs() - begun) / CHOICES;
  });
  return { channels, kind: "choice", what: "choosing with prompt caches", values: values.slice(1) };
}

async function timed(values: number[], work: () => Promise<unknown>): Promise<void> {
  const begun = performance.now();
  await work();
  values.push(performance.now() - begun);
}

/** Milliseconds of edits that move a channel in all its models. */
async function edits({ site, admin }: ChannelScene, channels: number): Promise<Measured> {
  const { snapshot } = site.foundation;
  const values: number[] = [];
  for (let edit = 0; edit < EDITS; edit += 1) {
    const { id = 0 } = snapshot.channels()[edit * 7] ?? {};
    await timed(values, () => admin.data("PUT", "/api/channel", { id, priority: edit + 1 }));
    if (snapshot.tiersFor("default", "model-1")[0]?.channels[0]?.id !== id) throw new Error("the edit is not in force");
  }
  return { channels, kind: "edit", what: "an edit until it is in force", values };
}

const LISTS: Readonly<Record<string, string>> = {
  "a page of the list": "",
  "the same by keyword": "&keyword=channel%204",
  "the same by group": "&group=default",
  "the same by model": "&model=model-199",
  "the same by type and status": "&type=1&status=1",
  "a page of tags": "&tag_mode=true&page_size=10",
};

async function lists({ admin }: ChannelScene, channels: number): Promise<Measured[]> {
  const found: Measured[] = [];
  for (const [what, query] of Object.entries(LISTS)) {
    const values: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1)
      await timed(values, () => admin.call("GET", `/api/channel/?p=1&page_size=100${query}`));
    found.push({ channels, kind: "list", what, values });
  }
  return found;
}

/** Measures both sizes, prints the section and writes it into the document. */
export async function measureRouting(where: readonly string[], document: URL): Promise<void> {
  const measured: Measured[] = [];
  for (const size of SIZES) {
    const scene = await openChannelScene("sqlite", {});
    try {
      await fillUp(scene, size);
      const { snapshot } = scene.site.foundation;
      measured.push(
        ...(await choices(snapshot, size)),
        await heldChoices(snapshot, size),
        await edits(scene, size),
        ...(await lists(scene, size)),
      );
    } finally {
      await scene.site.close();
    }
  }
  const section = routingSection(measured, where);
  process.stdout.write(`${section}\n`);
  writeFileSync(document, withSection(readFileSync(document, "utf8"), ROUTING_HEADING, section));
}
