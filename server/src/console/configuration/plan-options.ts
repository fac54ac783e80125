/** The plan of a file's options, groups and prices: which texts are written, what they are refused for, and which prices change. */
import {
  type DocumentPrice,
  type OptionPart,
  optionPart,
  type ResolvedDocument,
} from "../../../../contract/src/configuration/document.ts";
import type { PlanChange } from "../../../../contract/src/configuration/plan.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import {
  isOptionName,
  type OptionName,
  optionDefinition,
  validateOption,
} from "../../../../contract/src/options/options.ts";
import {
  hasOwnPrice,
  isSameOwnPrice,
  NO_OWN_PRICE,
  type OwnPrice,
  ownPriceOf,
  ownPriceTexts,
  withOwnPrices,
} from "../../../../contract/src/pricing/own-prices.ts";
import type { PriceChange } from "../../../../contract/src/features/prices.ts";
import { provenWays } from "../accounts/proven-ways.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { storedPriceTables } from "../options/change.ts";
import {
  emptySection,
  enter,
  enterMissing,
  missingNames,
  type PlanWish,
  refuseAt,
  type SectionPlan,
} from "./ownership.ts";
import type { OptionsState } from "./state.ts";
import { canonical, documentPriceOf, meaningOf, optionText, ownPriceOfDocument } from "./values.ts";

export interface OptionsPlan extends SectionPlan {
  /** Texts to be written, by option. */
  texts: ReadonlyMap<OptionName, string>;
  prices: readonly PriceChange[];
}

type Values = Readonly<Record<string, unknown>>;

interface Part {
  part: OptionPart;
  path: string;
  values: Values;
}

/** The parts of the file that hold options; one that is absent is not touched. */
function partsOf({ options, groups, prices }: ResolvedDocument): Part[] {
  const parts = [
    { part: "options", path: "options", values: options },
    { part: "groups", path: "groups", values: groups },
    { part: "tables", path: "prices.tables", values: prices?.tables },
  ] as const;
  return parts.flatMap(({ values, ...part }) => (values === undefined ? [] : [{ ...part, values: values as Values }]));
}

const cut = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);

interface Wanted {
  name: OptionName;
  path: string;
  /** Undefined where the stored secret stays. */
  text: string | undefined;
}

/** A secret that stays has no text; one that is not stored is refused. */
function wantedOption(context: ConsoleContext, path: string, name: OptionName, value: unknown): Wanted {
  if (!optionDefinition(name).isSecret) return { name, path, text: optionText(name, value) };
  const sent = value as { secret: string } | { from: "stored" };
  if ("secret" in sent) return { name, path, text: sent.secret };
  if (context.snapshot.options[name] === "")
    throw new AppError("option_invalid", { message: 'No secret is stored that {"from": "stored"} could keep' });
  return { name, path, text: undefined };
}

function changesOf(context: ConsoleContext, { stored }: OptionsState, { name, text }: Wanted): PlanChange[] {
  if (text === undefined) return [];
  const { isSecret, defaultText } = optionDefinition(name);
  if (isSecret) return context.snapshot.options[name] === text ? [] : [{ field: name }];
  const from = stored.get(name)?.value ?? defaultText;
  return meaningOf(name, from) === meaningOf(name, text) ? [] : [{ field: name, from: cut(from), to: cut(text) }];
}

/** Set to something else than its default. */
function isSet(context: ConsoleContext, { stored }: OptionsState, name: OptionName): boolean {
  const { isSecret, defaultText } = optionDefinition(name);
  if (isSecret) return context.snapshot.options[name] !== "";
  const text = stored.get(name)?.value;
  return text !== undefined && meaningOf(name, text) !== meaningOf(name, defaultText);
}

/** The values that hold once these texts are written; a text that cannot be read is refused elsewhere. */
export function valuesAfter(
  { snapshot }: Pick<ConsoleContext, "snapshot">,
  texts: ReadonlyMap<OptionName, string>,
): ConsoleContext["snapshot"]["options"] {
  const read = [...texts].flatMap(([name, text]) => {
    try {
      return [[name, optionDefinition(name).read(text).value] as const];
    } catch (error) {
      if (error instanceof AppError) return [];
      throw error;
    }
  });
  return { ...snapshot.options, ...Object.fromEntries(read) };
}

async function refuseBad(
  context: ConsoleContext,
  plan: OptionsPlan,
  paths: ReadonlyMap<string, string>,
): Promise<void> {
  const proven = await provenWays(context.database);
  const after = valuesAfter(context, plan.texts);
  for (const [name, text] of plan.texts)
    try {
      validateOption(name, text, { ...after, [name]: context.snapshot.options[name] }, proven);
    } catch (error) {
      refuseAt(plan, paths.get(name) ?? `prices.models (${name})`, error);
    }
}

function planPart(
  context: ConsoleContext,
  state: OptionsState,
  wish: PlanWish,
  { part, path, values }: Part,
  plan: OptionsPlan & { texts: Map<OptionName, string> },
): void {
  for (const [name, value] of Object.entries(values)) {
    if (!isOptionName(name) || value === undefined) continue;
    const at = `${path}.${name}`;
    try {
      const wanted = wantedOption(context, at, name, value);
      const thing = { kind: "option", name, path: at, manager: state.managers.option.get(name) } as const;
      const changes = changesOf(context, state, wanted);
      const isWritten = enter(plan, wish, { ...thing, exists: isSet(context, state, name), changes });
      if (isWritten && wanted.text !== undefined) plan.texts.set(name, wanted.text);
    } catch (error) {
      refuseAt(plan, at, error);
    }
  }
  const named = new Set(Object.keys(values).filter((name) => values[name] !== undefined));
  const gone = missingNames(state.managers.option, wish, named).filter(
    (name) => isOptionName(name) && optionPart(name) === part,
  );
  const missing = gone.map((name) => ({ name, path: `${path}.${name}` }));
  for (const name of enterMissing(plan, wish, "option", missing))
    if (isOptionName(name)) plan.texts.set(name, optionDefinition(name).defaultText);
}

const withoutTools = (price: OwnPrice): OwnPrice => ({ ...price, tools: {} });

const priceTextOf = (price: OwnPrice): string => canonical(documentPriceOf(price));

function planPrices(
  state: OptionsState,
  wish: PlanWish,
  models: Readonly<Record<string, DocumentPrice>>,
  plan: OptionsPlan & { prices: PriceChange[] },
): void {
  const tables = storedPriceTables(state.stored);
  for (const [model, sent] of Object.entries(models)) {
    const path = `prices.models.${model}`;
    const from = ownPriceOf(tables, model);
    // Prices of tools stand in their table, and stay as they are here.
    const to = { ...ownPriceOfDocument(sent), tools: from.tools };
    const isSame = isSameOwnPrice(from, to);
    const changes = isSame ? [] : [{ field: "price", from: priceTextOf(from), to: priceTextOf(to) }];
    const thing = { kind: "price", name: model, path, manager: state.managers.price.get(model), changes } as const;
    if (enter(plan, wish, { ...thing, exists: hasOwnPrice(withoutTools(from)) })) plan.prices.push({ model, from, to });
  }
  const missing = missingNames(state.managers.price, wish, new Set(Object.keys(models)));
  const gone = missing.map((name) => ({ name, path: `prices.models.${name}` }));
  for (const model of enterMissing(plan, wish, "price", gone)) {
    const from = ownPriceOf(tables, model);
    plan.prices.push({ model, from, to: { ...NO_OWN_PRICE, tools: from.tools } });
  }
}

/** The plan of the options, groups and prices of the file. */
export async function planOptions(
  context: ConsoleContext,
  document: ResolvedDocument,
  state: OptionsState,
  wish: PlanWish,
): Promise<OptionsPlan> {
  const plan = { ...emptySection(), texts: new Map<OptionName, string>(), prices: [] as PriceChange[] };
  for (const part of partsOf(document)) planPart(context, state, wish, part, plan);
  const paths = new Map([...plan.texts.keys()].map((name) => [name as string, pathOf(name)]));
  if (document.prices?.models !== undefined)
    planPrices(state, wish, document.prices.models as Readonly<Record<string, DocumentPrice>>, plan);
  const before = storedPriceTables(state.stored);
  const was = ownPriceTexts(before);
  const own = new Map(plan.prices.map(({ model, to }) => [model, to]));
  for (const [name, text] of ownPriceTexts(withOwnPrices(before, own)))
    if (name !== "ToolPrices" && text !== was.get(name)) plan.texts.set(name, text);
  await refuseBad(context, plan, paths);
  return plan;
}

const PATHS: Readonly<Record<OptionPart, string>> = {
  options: "options",
  groups: "groups",
  tables: "prices.tables",
  models: "prices.models",
};

const pathOf = (name: OptionName): string => `${PATHS[optionPart(name)]}.${name}`;
