/** The prices of a dry run: a draft over the options in force, validated as saving it would be, as prices of models, groups and tools. */
import type { RatioTables } from "../../../../../contract/src/group-rules.ts";
import type { PriceDraft } from "../../../../../contract/src/pricing/dry-run.ts";
import {
  OWN_PRICE_OPTIONS,
  ownPriceTexts,
  PRICE_OPTIONS,
  withOwnPrices,
} from "../../../../../contract/src/pricing/own-prices.ts";
import {
  optionDefinition,
  type OptionName,
  type OptionValues,
  validateOption,
} from "../../../../../contract/src/options/options.ts";
import type { ModelPrice } from "../../../../../contract/src/pricing/pricing.ts";
import type { SurchargeRatios } from "../../../../../contract/src/pricing/surcharge-ratios.ts";
import type { ToolPrices } from "../../../../../contract/src/pricing/tool-prices.ts";
import { parsePriceTables, resolvePrice } from "../../../prices/prices.ts";

/** Tables that cross to a thread as they are. */
export interface DraftTables {
  readonly groupRatios: RatioTables;
  readonly toolPrices: ToolPrices;
  readonly surchargeRatios: SurchargeRatios;
  /** Decimal text. */
  readonly quotaPerUnit: string;
}

export interface DraftTerms {
  readonly tables: DraftTables;
  /** Undefined where the draft has no price for the model. */
  priceOf(model: string): ModelPrice | undefined;
}

type DraftValues = Pick<OptionValues, (typeof PRICE_OPTIONS)[number]>;

/** The values with one option's text, checked against the others. */
function withText(current: OptionValues, name: OptionName, text: string): OptionValues {
  const { normalised } = validateOption(name, text, current);
  return { ...current, [name]: optionDefinition(name).read(normalised).value };
}

/** As `PUT /api/prices` writes them: by the texts of the tables, which have to be good ones. */
function withChanges(current: OptionValues, { changes = [] }: PriceDraft): DraftValues {
  if (changes.length === 0) return current;
  const after = withOwnPrices(current, new Map(changes.map(({ model, to }) => [model, to])));
  const [was, is] = [ownPriceTexts(current), ownPriceTexts(after)];
  const changed = [...is].filter(([name, text]) => text !== was.get(name));
  return changed.reduce((values, [name, text]) => withText(values, name, text), current);
}

/** Throws AppError option_invalid, option_prerequisite or name_characters, each naming the option, where the draft could not be saved. */
export function draftTerms(current: OptionValues, draft: PriceDraft): DraftTerms {
  const texts = PRICE_OPTIONS.flatMap((name) => {
    const text = draft.options?.[name];
    return text === undefined ? [] : [[name, text] as const];
  });
  const values = withChanges(
    texts.reduce((all, [name, text]) => withText(all, name, text), current),
    draft,
  );
  const own = parsePriceTables(Object.fromEntries(OWN_PRICE_OPTIONS.map((name) => [name, values[name]])));
  return {
    tables: {
      groupRatios: { GroupRatio: values.GroupRatio, GroupGroupRatio: values.GroupGroupRatio },
      toolPrices: values.ToolPrices,
      surchargeRatios: values.PremiumRatios,
      quotaPerUnit: String(values.QuotaPerUnit),
    },
    priceOf: (model) => resolvePrice(model, own),
  };
}
