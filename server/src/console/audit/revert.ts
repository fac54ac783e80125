/** Takes a change back through the service that made it, so that its rules, permissions and confirmations hold again, and only while nothing changed it since. */
import type { AuditChange } from "../../../../contract/src/features/audit.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import { priceChange } from "../../../../contract/src/features/prices.ts";
import { isOptionName, optionDefinition } from "../../../../contract/src/options/options.ts";
import { ROLE } from "../../../../contract/src/roles.ts";
import { parseJson } from "../../util/json-read.ts";
import { channelText } from "../channels/changes.ts";
import type { Mover } from "../channels/moves.ts";
import { readChannel, updateChannel } from "../channels/service.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import type { ConfirmingActor } from "../kit/audit.ts";
import { requirePermission } from "../kit/permitted.ts";
import { auditChange as auditOption } from "../options/service.ts";
import { changeOptions } from "../options/change.ts";
import { changePrices } from "../prices/service.ts";
import { updateUser } from "../users/change.ts";
import { codeOf, isRevertible } from "./revertible.ts";
import { changesOf, reachOf } from "./service.ts";
import { findEntry, type StoredEntry } from "./store.ts";

const superseded = (): AppError => new AppError("audit_superseded");

interface Revert {
  context: ConsoleContext;
  actor: ConfirmingActor & Mover;
  entry: StoredEntry;
  changes: readonly AuditChange[];
}

/** Throws what changing the option throws. */
async function revertOption({ context, actor, changes }: Revert): Promise<void> {
  const [change] = changes;
  if (change === undefined || !isOptionName(change.field)) throw new AppError("audit_final");
  const { field, from = "", to } = change;
  const written = await changeOptions(context, actor, (stored) => {
    if ((stored.get(field)?.value ?? optionDefinition(field).defaultText) !== to) throw superseded();
    return new Map([[field, from]]);
  });
  for (const each of written) await auditOption(context, actor, each);
}

/** Throws price_changed where the price is another one by now. */
async function revertPrice({ context, actor, entry, changes }: Revert): Promise<void> {
  requirePermission(actor.session.user, "money");
  const sent = changes.map(({ from = "", to = "" }) =>
    priceChange.parse({ model: entry.object_id, from: parseJson(to), to: parseJson(from) }),
  );
  await changePrices(context, actor, sent);
}

/** Fields that the form sends as numbers. */
const NUMBERS: ReadonlySet<string> = new Set(["status", "priority", "weight", "auto_ban", "max_input_tokens"]);

const typed = ({ field, from = "" }: AuditChange): readonly [string, unknown] => [
  field,
  NUMBERS.has(field) ? Number(from) : from,
];

/** Throws channel_changed where it is changed in the same moment. */
async function revertChannel({ context, actor, entry, changes }: Revert): Promise<void> {
  requirePermission(actor.session.user, "channels_write");
  const id = Number(entry.object_id);
  const channel = await readChannel(context, id);
  const now: Readonly<Record<string, unknown>> = { ...channel };
  if (changes.some(({ field, to }) => channelText(now[field]) !== to)) throw superseded();
  await updateChannel(context, actor, { ...Object.fromEntries(changes.map(typed)), id, revision: channel.revision });
}

const SENT_NAMES: Readonly<Record<string, string>> = { group_name: "group" };

/** Throws what changing the user throws. */
async function revertUser({ context, actor, entry, changes }: Revert): Promise<void> {
  const sent = Object.fromEntries(changes.map(({ field, from }) => [SENT_NAMES[field] ?? field, from]));
  const check = (row: object): void => {
    const now: Readonly<Record<string, unknown>> = { ...row };
    if (changes.some(({ field, to }) => now[field] !== to)) throw superseded();
  };
  await updateUser(context, actor, { ...sent, id: Number(entry.object_id) }, check);
}

const REVERTS: Readonly<Record<string, (revert: Revert) => Promise<void>>> = {
  option_changed: revertOption,
  prices_changed: revertPrice,
  channel_changed: revertChannel,
  user_changed: revertUser,
};

/**
 * Takes one change back. Throws not_found for an entry that the caller may not see, audit_final where it cannot be taken back, audit_superseded
 * where something it changed is another by now, and what the act itself throws; then nothing has changed.
 */
export async function revertAudit(context: ConsoleContext, actor: ConfirmingActor & Mover, id: number): Promise<void> {
  const { session } = actor;
  const entry = await findEntry(context.database, reachOf(session), id);
  if (entry === undefined) throw new AppError("not_found", { message: "There is no such entry" });
  const changes = changesOf(entry);
  // A missing permission is refused by the act itself; what cannot be reverted at all is refused here.
  const everybody = { role: ROLE.root, permissions: null };
  const revert = REVERTS[codeOf(entry)];
  if (revert === undefined || !isRevertible({ ...entry, changes }, everybody)) throw new AppError("audit_final");
  await revert({ context, actor, entry, changes });
}
