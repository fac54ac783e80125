/** Whole price tables: the difference that saving them would make, their redundant entries, and saving, all or none. */
import {
  optionDefinition,
  type OptionName,
  type OptionValues,
  validateOption,
} from "../../../../contract/src/options/options.ts";
import { OWN_PRICE_OPTIONS } from "../../../../contract/src/pricing/own-prices.ts";
import { toPriceFields } from "../../../../contract/src/pricing/price-fields.ts";
import {
  type EntryDifference,
  MAX_LISTED_DIFFERENCES,
  type ModelDifference,
  type PriceTable,
  type TableDifference,
  type TableDraft,
  type TablesDifference,
} from "../../../../contract/src/pricing/table-changes.ts";
import { parsePriceTables, resolvePrice } from "../../prices/prices.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { changeOptions } from "../options/change.ts";
import { auditChange, refuseStale } from "../options/service.ts";
import type { ConfirmingActor } from "../kit/audit.ts";
import { leanTables } from "./redundant.ts";

type TablesContext = { readonly snapshot: Pick<ConsoleContext["snapshot"], "options" | "channels" | "refresh"> };

/** One entry of a table and its value as text; `own` where the table prices models by name. */
type Entries = ReadonlyMap<string, string>;

const BY_MODEL: ReadonlySet<PriceTable> = new Set(OWN_PRICE_OPTIONS);

/** Entries by name: a model, "web_search › gpt-4o*", or "" for a rule. */
function entriesOf(key: PriceTable, value: OptionValues[PriceTable]): Entries {
  if (typeof value === "string") return new Map([["", value]]);
  const text = (inner: unknown) => (typeof inner === "string" ? inner : JSON.stringify(inner));
  if (BY_MODEL.has(key)) return new Map(Object.entries(value).map(([model, inner]) => [model, text(inner)]));
  return new Map(
    Object.entries(value).flatMap(([kind, byModel]) =>
      Object.entries(byModel as object).map(([model, inner]) => [`${kind} › ${model}`, text(inner)] as const),
    ),
  );
}

/** Names whose entries differ, with both texts. */
function differences(before: Entries, after: Entries) {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((name) => ({ name, from: before.get(name) ?? null, to: after.get(name) ?? null }))
    .filter(({ from, to }) => from !== to);
}

/** The drafts as values, in place of what is in force. Throws AppError as validateOption does. */
function withDrafts(options: OptionValues, tables: readonly TableDraft[]): OptionValues {
  const drafted = tables.map(({ key, value }) => {
    const { normalised } = validateOption(key, value, options);
    return [key, optionDefinition(key).read(normalised).value] as const;
  });
  return { ...options, ...(Object.fromEntries(drafted) as Partial<OptionValues>) };
}

function modelDifferences(
  context: TablesContext,
  after: OptionValues,
  models: readonly string[],
): readonly ModelDifference[] {
  const { options } = context.snapshot;
  const [pricesBefore, pricesAfter] = [parsePriceTables(options), parsePriceTables(after)];
  const enabled = new Set(
    context.snapshot.channels().flatMap(({ status, models: offered }) => (status === 1 ? [...offered] : [])),
  );
  const rows = models.map((model): ModelDifference => {
    const [from, to] = [resolvePrice(model, pricesBefore), resolvePrice(model, pricesAfter)];
    return {
      model,
      is_enabled: enabled.has(model),
      is_repriced: JSON.stringify(from) !== JSON.stringify(to),
      from: from === undefined ? null : toPriceFields(from),
      to: to === undefined ? null : toPriceFields(to),
    };
  });
  const weight = (row: ModelDifference) => Number(row.is_repriced) * 2 + Number(row.is_enabled);
  return rows.toSorted((a, b) => weight(b) - weight(a) || (a.model < b.model ? -1 : 1));
}

const countOf = (key: PriceTable, found: ReturnType<typeof differences>): TableDifference => ({
  key,
  added: found.filter(({ from }) => from === null).length,
  changed: found.filter(({ from, to }) => from !== null && to !== null).length,
  removed: found.filter(({ to }) => to === null).length,
});

/** The changes of the drafts against the tables in force. Throws AppError as validateOption does, with the option as field. */
export async function compareTables(context: TablesContext, drafts: readonly TableDraft[]): Promise<TablesDifference> {
  await context.snapshot.refresh();
  const { options } = context.snapshot;
  const after = withDrafts(options, drafts);
  const found = drafts.map(({ key }) => ({
    key,
    list: differences(entriesOf(key, options[key]), entriesOf(key, after[key])),
  }));
  const changedModels = found.flatMap(({ key, list }) => (BY_MODEL.has(key) ? list.map(({ name }) => name) : []));
  const models = modelDifferences(context, after, [...new Set(changedModels)]);
  const entries = found.flatMap(({ key, list }): EntryDifference[] =>
    BY_MODEL.has(key) ? [] : list.map((entry) => ({ key, ...entry })),
  );
  return {
    tables: found.map(({ key, list }) => countOf(key, list)),
    models: models.slice(0, MAX_LISTED_DIFFERENCES),
    model_count: models.length,
    repriced_count: models.filter(({ is_repriced }) => is_repriced).length,
    entries: entries.slice(0, MAX_LISTED_DIFFERENCES),
    entry_count: entries.length,
    ...leanTables(
      after,
      drafts.map(({ key }) => key),
    ),
  };
}

/**
 * Stores whole tables, all of them or none, and in force when it resolves. Throws AppError option_changed where one was changed since it
 * was read, and what changeOptions throws.
 */
export async function replaceTables(
  context: ConsoleContext,
  actor: ConfirmingActor,
  drafts: readonly TableDraft[],
): Promise<void> {
  const changes = await changeOptions(context, actor, (stored) => {
    for (const draft of drafts) refuseStale(stored, draft);
    return new Map<OptionName, string>(drafts.map(({ key, value }) => [key, value]));
  });
  for (const change of changes) await auditChange(context, actor, change);
}
