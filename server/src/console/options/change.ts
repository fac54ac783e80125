/** The one way in which options change: checked, in one transaction with their revisions, in force before it returns, and audited. */
import {
  isOptionName,
  optionDefinition,
  type OptionName,
  type OptionValues,
  parseOptions,
  SECRET_OPTION_NAMES,
  validateOption,
} from "../../../../contract/src/options/options.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import { withBothQuotaOptions } from "../../../../contract/src/options/quota-unit.ts";
import {
  isSameOwnPrice,
  OWN_PRICE_OPTIONS,
  ownPriceOf,
  type OwnPriceTables,
} from "../../../../contract/src/pricing/own-prices.ts";
import type { Transaction } from "kysely";
import type { Schema } from "../../db/schema.ts";
import { openOption, sealOption } from "../../db/secrets.ts";
import { bumpVersion } from "../../db/versions.ts";
import { provenWays } from "../accounts/proven-ways.ts";
import { permissionOfOption } from "../../../../contract/src/permissions.ts";
import { requirePermission } from "../kit/permitted.ts";
import { lockedNames, refuseLockedNames } from "../managed-store.ts";
import { isRoot } from "../../../../contract/src/roles.ts";
import { nowSeconds } from "../../util/clock.ts";
import { refuseNoKey } from "../kit/rsa-keys.ts";
import type { ConfirmingActor } from "../kit/audit.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { refuseDemandWithoutFactor } from "../required-action.ts";
import { readRows, type StoredOption, writeRow } from "./store.ts";

export { readRows } from "./store.ts";

/** Stored options by name, as `plan` reads them under the lock of all writers. */
export type StoredOptions = ReadonlyMap<string, StoredOption>;

/** One option's text before and after; texts of secrets are left out. */
export interface OptionChange {
  name: OptionName;
  from: string;
  to: string;
}

const NOT_SHOWN = { from: "", to: "" } as const;

/** Stored texts by name; those of secrets are sealed. */
export const textsOf = (stored: StoredOptions): ReadonlyMap<string, string> =>
  new Map([...stored].map(([name, { value }]) => [name, value]));

/** The text of an option that is not secret, as stored or by default. */
const textOf = (stored: StoredOptions, name: OptionName): string =>
  stored.get(name)?.value ?? optionDefinition(name).defaultText;

/**
 * Throws AppError option_of_root where the option is not the actor's to set, permission_withheld where he is not permitted what it decides, and step_up_required where he has not confirmed who he is; an
 * access token cannot. Who sends back what he has read changes nothing and may; not a secret, which is never read back: what it is must not be
 * found out by trying. Names that are no options are refused later, with the value.
 */
function checkOwner(
  { session, requireStepUp }: ConfirmingActor,
  name: string,
  text: string,
  stored: StoredOptions,
): void {
  if (!isOptionName(name)) return;
  const definition = optionDefinition(name);
  if (!definition.isSecret && text === textOf(stored, name)) return;
  if (definition.owner === "admin") return requirePermission(session.user, permissionOfOption(name, definition), name);
  if (!isRoot(session.role)) throw new AppError("option_of_root", { field: name });
  requireStepUp();
}

/** Throws AppError managed_locked for an option, or a model with a price of its own, that a configuration file locks. */
async function refuseLockedOptions(
  transaction: Transaction<Schema>,
  stored: StoredOptions,
  written: readonly OptionChange[],
): Promise<void> {
  const names = written.map(({ name }) => name);
  refuseLockedNames(await lockedNames(transaction, "option"), names);
  if (!names.some((name) => PRICED.has(name))) return;
  const models = await lockedNames(transaction, "price");
  if (models.size === 0) return;
  const after = new Map<string, StoredOption>(stored);
  for (const { name, to } of written) after.set(name, { value: to, updated_time: 0, updated_by: null, revision: 0 });
  const [was, is] = [storedPriceTables(stored), storedPriceTables(after)];
  const isChanged = (model: string) => {
    const [before, now] = [ownPriceOf(was, model), ownPriceOf(is, model)];
    return !isSameOwnPrice({ ...before, tools: {} }, { ...now, tools: {} });
  };
  refuseLockedNames(models, [...models.keys()].filter(isChanged));
}

/** Says what to write, from what is stored. May throw, and nothing is written then. */
export type Plan = (stored: StoredOptions) => ReadonlyMap<string, string>;

/** Options that say what single models cost. */
const PRICE_TABLES = [...OWN_PRICE_OPTIONS, "ToolPrices"] as const satisfies readonly OptionName[];
const PRICED: ReadonlySet<OptionName> = new Set(OWN_PRICE_OPTIONS);

/** The tables that hold own prices, as they are stored. Throws AppError option_invalid where one cannot be read, naming it. */
export const storedPriceTables = (stored: StoredOptions): OwnPriceTables =>
  Object.fromEntries(PRICE_TABLES.map((name) => [name, readStored(stored, name)])) as unknown as OwnPriceTables;

function readStored(stored: StoredOptions, name: OptionName): unknown {
  try {
    return optionDefinition(name).read(textOf(stored, name)).value;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError("option_invalid", { message: error.message, field: name, cause: error });
  }
}

/** Where the searches of models go, with the key of the next. */
const SEARCH_PLACE = ["WebSearchProvider", "WebSearchAddress"] as const;

/** A key goes nowhere that it was not typed for: with another provider of searches, or another address, the stored one is removed. */
function withoutMovedKey(planned: ReadonlyMap<string, string>, stored: StoredOptions): ReadonlyMap<string, string> {
  const isMoved = SEARCH_PLACE.some(
    (name) => (planned.get(name)?.trim() ?? textOf(stored, name)) !== textOf(stored, name),
  );
  if (!isMoved || planned.has("WebSearchKey") || !stored.has("WebSearchKey")) return planned;
  return new Map([...planned, ["WebSearchKey", ""]]);
}

/** Writes more in the same transaction, after the options; what it throws undoes them too. */
export type Alongside = (transaction: Transaction<Schema>, changes: readonly OptionChange[]) => Promise<void>;

/**
 * Changes the options that `plan` names; those whose text stays as it is are not written. In force in this process when it returns, in
 * every other within a second. Gives what changed.
 * Throws AppError option_unknown, option_invalid, option_prerequisite, name_characters, option_of_root, managed_locked or step_up_required,
 * and has then written nothing.
 */
export async function changeOptions(
  context: ConsoleContext,
  actor: ConfirmingActor,
  plan: Plan,
  alongside?: Alongside,
): Promise<readonly OptionChange[]> {
  const proven = await provenWays(context.database);
  const { database, secrets, snapshot } = context;
  const changes = await database.kysely.transaction().execute(async (transaction) => {
    const revision = await bumpVersion(transaction, "options");
    const stored = await readRows(transaction);
    const planned = withoutMovedKey(withBothQuotaOptions(plan(stored), textsOf(stored)), stored);
    const [current, next] = [valuesOf(context, stored), valuesOf(context, stored, planned)];
    const stamp = { revision, updated_by: actor.session.user.id, updated_time: nowSeconds(context.clock) };
    const written: OptionChange[] = [];
    for (const [name, text] of planned) {
      checkOwner(actor, name, text, stored);
      if (!isOptionName(name)) throw new AppError("option_unknown", { field: name });
      // What is changed together is judged together, each beside what the others become.
      const { normalised: to } = validateOption(name, text, { ...next, [name]: current[name] }, proven);
      refuseNoKey(name, to);
      const { isSecret, defaultText } = optionDefinition(name);
      const row = stored.get(name);
      const from = isSecret && row !== undefined ? openedSecret(context, name, row) : (row?.value ?? defaultText);
      if (from === to) continue;
      if (name === "SecondFactorDemand" && to !== "nobody")
        await refuseDemandWithoutFactor(transaction, actor.session.user.id);
      await writeRow(database, transaction, name, isSecret ? sealOption(secrets, name, to) : to, stamp);
      written.push({ name, ...(isSecret ? NOT_SHOWN : { from: from ?? "", to }) });
    }
    if (actor.configuration === undefined) await refuseLockedOptions(transaction, stored, written);
    await alongside?.(transaction, written);
    return written;
  });
  await snapshot.refresh();
  return changes;
}

/**
 * What is stored under the lock of all writers, not what this process knew half a second ago: of two switches that each need the other
 * to stay on, only one can be turned off.
 */
function valuesOf(
  context: ConsoleContext,
  stored: StoredOptions,
  planned: ReadonlyMap<string, string> = new Map(),
): OptionValues {
  const texts = [...stored].flatMap(([name, row]): [string, string][] => {
    if (!isOptionName(name) || !SECRET_OPTION_NAMES.has(name)) return [[name, row.value]];
    const opened = openedSecret(context, name, row);
    return opened === undefined ? [] : [[name, opened]];
  });
  return parseOptions(new Map([...texts, ...planned]));
}

/** Undefined where it cannot be read any more: it counts as not set, and a new one is written over it. */
function openedSecret(
  context: Pick<ConsoleContext, "secrets" | "logger">,
  name: OptionName,
  row: StoredOption,
): string | undefined {
  try {
    return openOption(context.secrets, name, row.value);
  } catch (error) {
    context.logger.warn({ option: name, err: error }, "a secret option cannot be decrypted; it counts as not set");
    return undefined;
  }
}
