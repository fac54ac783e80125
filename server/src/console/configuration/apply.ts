/** Applies a configuration file: each section in one transaction with its marks, refused where what is stored is not what was planned on. */
import type { Transaction } from "kysely";
import {
  CONFIGURATION_SECTIONS,
  type ConfigurationPlan,
  type ConfigurationSection,
  type PlanEntry,
} from "../../../../contract/src/configuration/plan.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import { optionDefinition } from "../../../../contract/src/options/options.ts";
import { OWN_PRICE_OPTIONS } from "../../../../contract/src/pricing/own-prices.ts";
import type { Schema } from "../../db/schema.ts";
import { nowSeconds } from "../../util/clock.ts";
import { changeSeveral } from "../channels/several.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { changeSeveralProviders } from "../identities/several.ts";
import { audit, type ConfirmingActor } from "../kit/audit.ts";
import { dropMarks, dropMarksOfTargets, writeMarks } from "../managed-store.ts";
import { changeOptions, type OptionChange, type StoredOptions } from "../options/change.ts";
import { auditChange } from "../options/service.ts";
import { recordChange } from "../prices/changes.ts";
import { type Asked, makePlan, readDocument, type WorkingPlan } from "./plan.ts";
import {
  channelsDigest,
  KINDS_OF_SECTION,
  optionsDigest,
  providersDigest,
  readChannelsState,
  readOptionsState,
  readProvidersState,
} from "./state.ts";

export interface AskedApply extends Asked {
  plan: Pick<ConfigurationPlan, "document" | "revisions">;
  announce: boolean;
}

interface Work {
  context: ConsoleContext;
  actor: ConfirmingActor;
  working: WorkingPlan;
  announce: boolean;
}

const entriesOf = ({ plan }: WorkingPlan, section: ConfigurationSection): PlanEntry[] =>
  plan.entries.filter(({ kind }) => KINDS_OF_SECTION[section].includes(kind));

const moved = (section: ConfigurationSection): AppError =>
  new AppError("configuration_moved", { field: section, values: { section } });

/** Throws AppError configuration_moved where a section is not what it was when the plan was made. */
function confirmRevision({ plan }: WorkingPlan, section: ConfigurationSection, now: string): void {
  if (plan.revisions[section] !== now) throw moved(section);
}

/** Writes the marks of what a section has made, changed or adopted, and takes away those of what it released or deleted. */
async function markAll(
  { context, actor, working }: Work,
  transaction: Transaction<Schema>,
  section: ConfigurationSection,
  idOf: (name: string) => number,
): Promise<void> {
  const entries = entriesOf(working, section);
  const isGone = ({ act }: PlanEntry) => act === "delete" || act === "release";
  const marks = entries
    .filter((entry) => !isGone(entry))
    .map(({ kind, name }) => ({ kind, name, targetId: kind === "channel" || kind === "provider" ? idOf(name) : 0 }));
  const { managedBy, isLocked } = working.wish;
  const by = { managedBy, isLocked, nowSeconds: nowSeconds(context.clock), userId: actor.session.user.id };
  await writeMarks(context.database, transaction, marks, by);
  for (const kind of KINDS_OF_SECTION[section])
    await dropMarks(
      transaction,
      kind,
      entries.filter((entry) => entry.kind === kind && isGone(entry)).map(({ name }) => name),
    );
}

const GROUP_RATIO = /^\d{1,9}(?:\.\d{1,12})?$/;

/** Enters changed prices into the list of price changes, from which people are notified. */
async function recordPrices(
  { context, actor, working: { options }, announce }: Work,
  transaction: Transaction<Schema>,
  written: readonly OptionChange[],
): Promise<void> {
  const ratio = written.find(({ name }) => name === "GroupRatio");
  const [was, is] = [ratio?.from, ratio?.to].map((text) =>
    text === undefined ? {} : (optionDefinition("GroupRatio").read(text).value as Record<string, string>),
  );
  const changed = Object.entries(is ?? {}).filter(
    ([group, to]) => Object.hasOwn(was ?? {}, group) && was?.[group] !== to && GROUP_RATIO.test(to),
  );
  if (options.prices.length === 0 && changed.length === 0) return;
  const draft = { changes: [...options.prices], group_ratios: Object.fromEntries(changed) };
  const applyTime = nowSeconds(context.clock);
  await recordChange(context, transaction, actor, { draft, state: "applied", applyTime, isAnnounced: announce });
}

/** Longest list of changes repeated in the log. */
const AUDIT_CHANGES = 100;

async function applyOptions(work: Work): Promise<void> {
  const { context, actor, working } = work;
  const { options } = working;
  let before: StoredOptions = new Map();
  const written = await changeOptions(
    context,
    actor,
    (stored) => {
      before = stored;
      return options.texts;
    },
    async (transaction, changes) => {
      const state = await readOptionsState(transaction, before);
      confirmRevision(working, "options", optionsDigest(context, state));
      await recordPrices(work, transaction, changes);
      await markAll(work, transaction, "options", () => 0);
    },
  );
  const { prices } = options;
  if (prices.length > 0) {
    const event = { code: "prices_changed", values: { count: prices.length, model: prices[0]?.model ?? "" } } as const;
    await audit(context, actor, event, { changes: prices.slice(0, AUDIT_CHANGES) });
  }
  const { session, request, recordEvent } = { ...actor, recordEvent: context.recordSecurityEvent };
  for (const change of written) {
    if ((OWN_PRICE_OPTIONS as readonly string[]).includes(change.name)) continue;
    await auditChange(context, actor, change);
    if (optionDefinition(change.name).owner !== "root") continue;
    const { ip, requestId } = request;
    recordEvent({ kind: "option_changed", userId: session.user.id, ip, reason: change.name, requestId });
  }
}

async function applyProviders(work: Work): Promise<void> {
  const { context, actor, working } = work;
  const { providers, state } = working;
  const ids = new Map(state.providers.providers.map(({ slug, id }) => [slug, id]));
  await changeSeveralProviders(context, actor, providers, {
    confirm: async (transaction) =>
      confirmRevision(working, "identity_providers", providersDigest(context, await readProvidersState(transaction))),
    alongside: async (transaction, created) => {
      for (const { slug, id } of created) ids.set(slug, id);
      await markAll(work, transaction, "identity_providers", (slug) => ids.get(slug) ?? 0);
    },
  });
  const { session, request } = actor;
  const { ip, requestId } = request;
  for (const { name, act } of entriesOf(working, "identity_providers"))
    context.recordSecurityEvent({
      kind: "provider_changed",
      userId: session.user.id,
      ip,
      reason: `${act} ${name}`,
      requestId,
    });
}

async function applyChannels(work: Work): Promise<void> {
  const { context, actor, working } = work;
  const { creates, updates, deletes, ids } = working.channels;
  const decide = async (transaction: Transaction<Schema>) => {
    confirmRevision(working, "channels", channelsDigest(context, await readChannelsState(transaction)));
    return { creates, updates: updates.map(({ wanted: _wanted, ...sent }) => sent), deletes };
  };
  await changeSeveral(context, actor, decide, async (transaction, createdIds) => {
    const all = new Map([...ids, ...creates.map(({ name }, index) => [name, createdIds[index] ?? 0] as const)]);
    // A channel that was adopted under one name and deleted by hand may come again under it.
    await dropMarksOfTargets(transaction, "channel", createdIds);
    await markAll(work, transaction, "channels", (name) => all.get(name) ?? 0);
  });
  const { session, request } = actor;
  const keys = entriesOf(working, "channels").filter(({ changes }) => changes.some(({ field }) => field === "key"));
  for (const { name } of keys)
    context.recordSecurityEvent({
      kind: "channel_key_changed",
      userId: session.user.id,
      ip: request.ip,
      reason: `set ${name}`,
      requestId: request.requestId,
    });
}

const APPLY: Readonly<Record<ConfigurationSection, (work: Work) => Promise<void>>> = {
  options: applyOptions,
  identity_providers: applyProviders,
  channels: applyChannels,
};

/** Throws AppError configuration_invalid with the first field that the plan refuses. */
function refuseRefused({ refused }: ConfigurationPlan): void {
  const [first] = refused;
  if (first === undefined) return;
  const { path, message } = first;
  throw new AppError("configuration_invalid", { field: path, message: `${path}: ${message}`, values: { path } });
}

/**
 * Applies a file as it was planned. Sections that are as the file says are passed over, so an apply that was killed is completed by another.
 * @throws AppError configuration_invalid for what the plan refuses, configuration_moved where the file or what is stored is not what was planned,
 * and what the rules of a section refuse; sections before it stay applied, and the refused one is as it was.
 */
export async function applyDocument(
  context: ConsoleContext,
  actor: ConfirmingActor,
  asked: AskedApply,
): Promise<{ applied: ConfigurationSection[]; changed: number }> {
  const read = readDocument(asked);
  if ("plan" in read) throw refuseRefused(read.plan) ?? new AppError("configuration_invalid");
  const working = await makePlan(context, asked, read.document);
  refuseRefused(working.plan);
  if (working.plan.document !== asked.plan.document) throw new AppError("configuration_moved", { field: "document" });
  const sections = CONFIGURATION_SECTIONS.filter((section) => entriesOf(working, section).length > 0);
  // Before anything is written: of two applies at once the later one changes nothing.
  for (const section of sections) confirmRevision(working, section, asked.plan.revisions[section]);
  const applier: ConfirmingActor = { ...actor, configuration: working.wish.managedBy };
  for (const section of sections) await APPLY[section]({ context, actor: applier, working, announce: asked.announce });
  const changed = working.plan.entries.length;
  if (changed > 0) {
    const values = { name: working.wish.managedBy };
    await audit(context, applier, { code: "configuration_applied", values }, { sections, changed });
  }
  return { applied: sections, changed };
}
