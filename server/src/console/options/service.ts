/** Rules of the options: what is shown, who may change what, and that a refused change changes nothing. */
import { AppError } from "../../../../contract/src/errors.ts";
import { OPTION_NAMES, optionDefinition } from "../../../../contract/src/options/options.ts";
import { withOneQuotaUnit } from "../../../../contract/src/options/quota-unit.ts";
import { OPTION_PAGES, OPTION_SECTIONS, pageOfSection } from "../../../../contract/src/options/sections.ts";
import { ownPriceTexts, withoutOwnPrices } from "../../../../contract/src/pricing/own-prices.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { audit, type ConfirmingActor } from "../kit/audit.ts";
import { auditText } from "./history.ts";
import { changeOptions, type OptionChange, storedPriceTables, type StoredOptions, textsOf } from "./change.ts";
import { readRows } from "./store.ts";

/** Every option by name; a secret shows only whether it is set. */
export async function listOptions(context: ConsoleContext) {
  const rows = await readRows(context.database.kysely);
  const texts = withOneQuotaUnit(textsOf(rows));
  return OPTION_NAMES.toSorted().map((key) => {
    const { isSecret, defaultText } = optionDefinition(key);
    const row = rows.get(key);
    const value = texts.get(key) ?? defaultText;
    return {
      key,
      value: isSecret ? "" : value,
      is_set: isSecret ? isSecretSet(context, key) : value !== "",
      updated_time: row?.updated_time ?? 0,
      updated_by: row?.updated_by ?? "",
      revision: row?.revision ?? 0,
    };
  });
}

/** A secret that cannot be decrypted counts as not set, which is how it works too. */
const isSecretSet = (context: ConsoleContext, key: keyof ConsoleContext["snapshot"]["options"]): boolean =>
  context.snapshot.options[key] !== "";

const SECTIONS = OPTION_PAGES.flatMap((page): readonly string[] => OPTION_SECTIONS[page]);
const placeOf = (name: (typeof OPTION_NAMES)[number]): number => SECTIONS.indexOf(optionDefinition(name).section);

/** The data by which the settings page draws and checks a field; in the order in which the page shows them. */
export function describeOptions() {
  return OPTION_NAMES.toSorted((one, other) => placeOf(one) - placeOf(other)).map((key) => {
    const { kind, section, defaultText, owner, isSecret, minimum, maximum, unit, choices } = optionDefinition(key);
    const limits = { minimum, maximum, unit, choices: choices === undefined ? undefined : [...choices] };
    const place = { page: pageOfSection(section), section };
    const rules = { owner, is_secret: isSecret, needs_step_up: owner === "root" };
    return { key, kind, ...place, default: defaultText, ...rules, ...limits };
  });
}

/**
 * Changes one option; in force in this process when it returns, in every other within a second. `revision` is what the caller has read,
 * undefined where it does not care. Throws what changeOptions throws, and AppError option_changed where another change was faster.
 */
export async function updateOption(
  context: ConsoleContext,
  actor: ConfirmingActor,
  { key, value, revision }: { key: string; value: string; revision?: number | undefined },
): Promise<void> {
  const changes = await changeOptions(context, actor, (stored) => {
    refuseStale(stored, { key, value, revision });
    return withItsKey(context, key, value);
  });
  for (const change of changes) await auditChange(context, actor, change);
}

/** Without a worker its key has no use: it is removed with the worker's address. */
function withItsKey({ snapshot }: ConsoleContext, key: string, value: string): ReadonlyMap<string, string> {
  const isWorkerGone = key === "WorkerUrl" && value.trim() === "" && snapshot.options.WorkerValidKey !== "";
  return new Map([[key, value], ...(isWorkerGone ? [["WorkerValidKey", ""] as const] : [])]);
}

/**
 * Throws AppError option_changed where `revision` is given and not that of what is stored. What is stored already is no conflict: of two
 * options that are one setting the second was changed with the first.
 */
export function refuseStale(
  stored: StoredOptions,
  { key, value, revision }: { key: string; value: string; revision?: number | undefined },
): void {
  const row = stored.get(key);
  if (revision === undefined || revision === (row?.revision ?? 0) || row?.value === value) return;
  throw new AppError("option_changed", { field: key, values: { user: row?.updated_by ?? "" } });
}

/** Enters one change into the administrators' log; long texts are cut, those of secrets left out. */
export async function auditChange(
  context: ConsoleContext,
  actor: ConfirmingActor,
  { name, from, to }: OptionChange,
): Promise<void> {
  const change = optionDefinition(name).isSecret ? {} : { from: auditText(from), to: auditText(to) };
  const event = { code: "option_changed", values: { option: name } } as const;
  await audit(context, actor, event, { option: name, ...change });
}

/** The tables that hold own prices, emptied; of ToolPrices only the entries of single models, where there are any. */
function withoutPrices(stored: StoredOptions): ReadonlyMap<string, string> {
  const tables = storedPriceTables(stored);
  const [was, is] = [ownPriceTexts(tables), ownPriceTexts(withoutOwnPrices(tables))];
  return new Map([...is].filter(([name, text]) => text !== was.get(name)));
}

/** Empties the operator's prices of models: those of the price list hold again. */
export async function resetModelRatio(context: ConsoleContext, actor: ConfirmingActor): Promise<void> {
  const changes = await changeOptions(context, actor, withoutPrices);
  const before = changes.map(({ name, from }) => ({ option: name, from }));
  await audit(context, actor, { code: "ratios_reset", values: {} }, { before });
}
