/** A price as it is typed in the editor, and what it means: own entries to store, or errors by field. Pure. */
import { type OwnPrice, ownEntriesOf, priceUnderOwn } from "../../../../../contract/src/pricing/own-prices.ts";
import { DEFAULT_RATIOS, type ModelPrice, type PerTokenPrice } from "../../../../../contract/src/pricing/pricing.ts";
import { CONTEXT_SIZES, type ToolPrice } from "../../../../../contract/src/pricing/tool-prices.ts";
import { amountOf, isZero, MAX_AMOUNT, ratioOfUsd, times, usdShown } from "./units.ts";

/** Kinds of tokens with a price of their own, each a multiple of the one before which it stands here; names as in pricing.ts. */
export const TOKEN_FIELDS = [
  { field: "input", option: "ModelRatio", ratio: "ratio", of: undefined },
  { field: "output", option: "CompletionRatio", ratio: "completionRatio", of: "input" },
  { field: "cacheRead", option: "CacheRatio", ratio: "cacheRatio", of: "input" },
  { field: "cacheWrite", option: "CacheCreationRatio", ratio: "cacheCreationRatio", of: "input" },
  { field: "imageInput", option: "ImageRatio", ratio: "imageRatio", of: "input" },
  { field: "audioInput", option: "AudioRatio", ratio: "audioRatio", of: "input" },
  { field: "audioOutput", option: "AudioCompletionRatio", ratio: "audioCompletionRatio", of: "audioInput" },
] as const;
export type TokenField = (typeof TOKEN_FIELDS)[number]["field"];

/** Tools with a field of their own. */
export const TOOL_FIELDS = ["web_search", "file_search"] as const;
export type ToolField = (typeof TOOL_FIELDS)[number];

/** Ratios of a tier, in the order in which they are typed. */
export const TIER_FIELDS = [
  { field: "input", key: "ratio" },
  { field: "output", key: "completion" },
  { field: "cacheRead", key: "cache" },
  { field: "cacheWrite", key: "cache_creation" },
] as const;
export type TierField = (typeof TIER_FIELDS)[number]["field"];
type Tier = NonNullable<OwnPrice["tiers"]>[number];

/** `id` stays with the row while others are taken out. */
export type TierDraft = Record<TierField, string> & { id: number; above: string };

/** Whether token prices are typed as USD per 1M tokens or as ratios. */
export type Unit = "usd" | "ratio";

/** Texts as typed; an empty one says nothing of its own, and what holds without it holds. */
export interface PriceDraft {
  kind: "tokens" | "call";
  unit: Unit;
  call: string;
  tokens: Record<TokenField, string>;
  tools: Record<ToolField, string>;
  /** Own tiers of long contexts; none of its own where it is empty. */
  tiers: readonly TierDraft[];
}

/** The start of a draft. */
export interface DraftSource {
  own: OwnPrice;
  /** The price without own entries; undefined where there is none. */
  base: ModelPrice | undefined;
  quotaPerUnit: string;
}

export type DraftError =
  | "number"
  | "zero"
  | "large"
  | "inputMissing"
  | "inputFree"
  | "bound"
  | "boundTwice"
  | "missing";

/** Errors by field: "call", "input", "tools.web_search", "tiers.0.above". */
export type DraftErrors = Readonly<Record<string, DraftError>>;

export interface ReadDraft {
  own: OwnPrice;
  /** By which calls would be charged; undefined where nothing is priced, or a field is wrong. */
  price: ModelPrice | undefined;
  errors: DraftErrors;
}

const fieldOf = (field: TokenField) => TOKEN_FIELDS.find((each) => each.field === field) ?? TOKEN_FIELDS[0];

/** The ratio that holds where the field stays empty. */
export function inheritedRatio(base: ModelPrice | undefined, field: TokenField): string | undefined {
  const { ratio } = fieldOf(field);
  if (base?.kind === "per_token") return base[ratio];
  return ratio === "ratio" ? undefined : DEFAULT_RATIOS[ratio];
}

/** The whole ratio of what a field is a multiple of, from the ratios that are known; undefined for the input, or where it has no price. */
function wholeBase(ratios: Partial<Record<TokenField, string>>, field: TokenField): string | undefined {
  const { of } = fieldOf(field);
  if (of === undefined || ratios.input === undefined) return undefined;
  return of === "input" ? ratios.input : times(ratios.input, ratios.audioInput ?? DEFAULT_RATIOS.audioRatio);
}

/** Ratios of all fields under own entries. */
const ratiosUnder = (
  own: Partial<Record<TokenField, string>>,
  base: ModelPrice | undefined,
): Partial<Record<TokenField, string>> =>
  Object.fromEntries(TOKEN_FIELDS.map(({ field }) => [field, own[field] ?? inheritedRatio(base, field)]));

const ownRatios = ({ ratios }: OwnPrice): Partial<Record<TokenField, string>> =>
  Object.fromEntries(
    TOKEN_FIELDS.flatMap(({ field, option }) => (ratios[option] === undefined ? [] : [[field, ratios[option]]])),
  );

const shownIn = (unit: Unit, ratio: string, base: string | undefined, quotaPerUnit: string): string =>
  unit === "ratio" ? ratio : usdShown(ratio, base, quotaPerUnit);

const tierDraftOf = (tier: Tier, unit: Unit, quotaPerUnit: string, id: number): TierDraft => ({
  id,
  above: tier.above,
  input: shownIn(unit, tier.ratio, undefined, quotaPerUnit),
  output: shownIn(unit, tier.completion, tier.ratio, quotaPerUnit),
  cacheRead: shownIn(unit, tier.cache, tier.ratio, quotaPerUnit),
  cacheWrite: shownIn(unit, tier.cache_creation, tier.ratio, quotaPerUnit),
});

/** The draft that says what is stored. */
export function draftOf({ own, base, quotaPerUnit }: DraftSource, unit: Unit): PriceDraft {
  const typed = ownRatios(own);
  const ratios = ratiosUnder(typed, base);
  const text = (field: TokenField): string => {
    const ratio = typed[field];
    return ratio === undefined ? "" : shownIn(unit, ratio, wholeBase(ratios, field), quotaPerUnit);
  };
  const isFixed = own.ratios.ModelPrice !== undefined || (base?.kind === "per_call" && typed.input === undefined);
  return {
    kind: isFixed ? "call" : "tokens",
    unit,
    call: own.ratios.ModelPrice ?? "",
    tokens: Object.fromEntries(TOKEN_FIELDS.map(({ field }) => [field, text(field)])) as Record<TokenField, string>,
    tools: Object.fromEntries(
      TOOL_FIELDS.map((tool) => {
        const price = own.tools[tool];
        // One number cannot say a price for each size: such a price is kept until another is typed.
        return [tool, typeof price === "string" ? price : ""];
      }),
    ) as Record<ToolField, string>,
    tiers: (own.tiers ?? []).map((tier, index) => tierDraftOf(tier, unit, quotaPerUnit, index)),
  };
}

/** Collects own entries and errors while a draft is read. */
class Reader {
  readonly errors: Record<string, DraftError> = {};

  /** The number of a field; undefined where it is empty or wrong. */
  amount(name: string, text: string): string | undefined {
    if (text.trim() === "") return undefined;
    const amount = amountOf(text);
    if (amount === undefined) this.errors[name] = "number";
    else if (Number(amount) > MAX_AMOUNT) this.errors[name] = "large";
    else return amount;
    return undefined;
  }

  /** As `amount`, for what may not cost nothing. */
  price(name: string, text: string): string | undefined {
    const amount = this.amount(name, text);
    if (amount === undefined || !isZero(amount)) return amount;
    this.errors[name] = "zero";
    return undefined;
  }

  /** The ratio that a text says; the stored one where the text still says it. */
  ratio(name: string, text: string, { unit, whole, quotaPerUnit, kept }: RatioPlace): string | undefined {
    if (kept !== undefined && text === shownIn(unit, kept, whole, quotaPerUnit)) return kept;
    const amount = whole === undefined ? this.price(name, text) : this.amount(name, text);
    if (amount === undefined) return undefined;
    if (unit === "ratio") return amount;
    if (whole !== undefined && isZero(whole) && !isZero(amount)) {
      this.errors[name] = "inputFree";
      return undefined;
    }
    const ratio = ratioOfUsd(amount, whole, quotaPerUnit);
    if (Number(ratio) <= MAX_AMOUNT) return ratio;
    this.errors[name] = "large";
    return undefined;
  }
}

interface RatioPlace {
  unit: Unit;
  /** Whole ratio of what it is a multiple of; undefined for the input. */
  whole: string | undefined;
  quotaPerUnit: string;
  /** The stored ratio. */
  kept: string | undefined;
}

/** Own ratios of all fields in their order, so that each finds what it is a multiple of. */
function readTokens(reader: Reader, draft: PriceDraft, { own, base, quotaPerUnit }: DraftSource) {
  const { unit } = draft;
  const kept = ownRatios(own);
  const found: Partial<Record<TokenField, string>> = {};
  // A field that is wrong still lets the others be read, by what holds without it.
  for (const { field } of TOKEN_FIELDS) {
    const whole = wholeBase(ratiosUnder(found, base), field);
    if (field !== "input" && whole === undefined && draft.tokens[field].trim() !== "" && unit === "usd") {
      reader.errors["input"] ??= "inputMissing";
      continue;
    }
    const place = { unit, whole: field === "input" ? undefined : (whole ?? "1"), quotaPerUnit, kept: kept[field] };
    const ratio = reader.ratio(field, draft.tokens[field], place);
    if (ratio !== undefined) found[field] = ratio;
  }
  if (ratiosUnder(found, base).input === undefined) reader.errors["input"] ??= "inputMissing";
  return found;
}

const BOUND = /^[1-9]\d{0,8}$/;

function readTiers(reader: Reader, { tiers, unit }: PriceDraft, { own, quotaPerUnit }: DraftSource): Tier[] {
  const bounds = new Set<string>();
  return tiers.map((tier, index): Tier => {
    const name = (field: string) => `tiers.${index}.${field}`;
    const above = tier.above.replace(/[\s,]/g, "");
    if (!BOUND.test(above)) reader.errors[name("above")] = "bound";
    else if (bounds.has(above)) reader.errors[name("above")] = "boundTwice";
    bounds.add(above);
    const kept = own.tiers?.[tier.id];
    const read = (field: TierField, whole: string | undefined): string => {
      const key = TIER_FIELDS.find((each) => each.field === field)?.key ?? "ratio";
      const ratio = reader.ratio(name(field), tier[field], { unit, whole, quotaPerUnit, kept: kept?.[key] });
      if (tier[field].trim() === "") reader.errors[name(field)] ??= "missing";
      return ratio ?? "1";
    };
    const ratio = read("input", undefined);
    return {
      above,
      ratio,
      completion: read("output", ratio),
      cache: read("cacheRead", ratio),
      cache_creation: read("cacheWrite", ratio),
    };
  });
}

function readTools(reader: Reader, { tools }: PriceDraft, own: OwnPrice): OwnPrice["tools"] {
  const others = Object.entries(own.tools).filter(([tool]) => !TOOL_FIELDS.some((field) => field === tool));
  const typed = TOOL_FIELDS.flatMap((tool): [string, ToolPrice][] => {
    const amount = reader.amount(`tools.${tool}`, tools[tool]);
    const kept = own.tools[tool];
    if (amount !== undefined) return [[tool, amount]];
    return kept !== undefined && typeof kept !== "string" ? [[tool, kept]] : [];
  });
  return Object.fromEntries([...others, ...typed]) as OwnPrice["tools"];
}

/**
 * Reads a draft. By a fixed price the token prices are neither read nor changed: it wins, and they hold again when it is taken away.
 */
export function readDraft(draft: PriceDraft, source: DraftSource): ReadDraft {
  const reader = new Reader();
  const { ModelPrice: _fixed, ...others } = source.own.ratios;
  const tools = readTools(reader, draft, source.own);
  let own: OwnPrice;
  if (draft.kind === "call") {
    const call = reader.price("call", draft.call);
    const inherits = source.base?.kind === "per_call" && others.ModelRatio === undefined;
    if (call === undefined && !inherits) reader.errors["call"] ??= "missing";
    const { tiers } = source.own;
    own = {
      ratios: call === undefined ? others : { ...others, ModelPrice: call },
      ...(tiers === undefined ? {} : { tiers }),
      tools,
    };
  } else {
    const ratios = readTokens(reader, draft, source);
    const tiers = readTiers(reader, draft, source);
    const entries = TOKEN_FIELDS.flatMap(({ field, option }): [string, string][] => {
      const ratio = ratios[field];
      return ratio === undefined ? [] : [[option, ratio]];
    });
    own = { ratios: Object.fromEntries(entries), ...(tiers.length === 0 ? {} : { tiers }), tools };
  }
  const isRight = Object.keys(reader.errors).length === 0;
  return { own, price: isRight ? priceUnderOwn(source.base, ownEntriesOf(own)) : undefined, errors: reader.errors };
}

/** The draft with its token prices in the other unit; undefined where a token price is wrong and cannot be converted. */
export function inUnit(draft: PriceDraft, unit: Unit, source: DraftSource): PriceDraft | undefined {
  if (unit === draft.unit) return draft;
  const { own, errors } = readDraft({ ...draft, kind: "tokens", tools: { web_search: "", file_search: "" } }, source);
  if (Object.keys(errors).some((name) => errors[name] !== "inputMissing")) return undefined;
  const { tokens, tiers } = draftOf({ ...source, own }, unit);
  return {
    ...draft,
    unit,
    tokens,
    tiers: tiers.map((tier, index) => ({ ...tier, id: draft.tiers[index]?.id ?? index })),
  };
}

/** Tiers that the own input price would drop: those of the price without it. */
export function droppedTiers(draft: PriceDraft, base: ModelPrice | undefined): NonNullable<PerTokenPrice["tiers"]> {
  if (draft.kind === "call" || base?.kind !== "per_token" || draft.tiers.length > 0) return [];
  return draft.tokens.input.trim() === "" ? [] : (base.tiers ?? []);
}

/** Those tiers as rows of the draft. */
export const keptTiers = (draft: PriceDraft, base: ModelPrice | undefined, quotaPerUnit: string): TierDraft[] =>
  droppedTiers(draft, base).map((tier, index) =>
    tierDraftOf(
      {
        above: String(tier.aboveInputTokens),
        ratio: tier.ratio,
        completion: tier.completionRatio,
        cache: tier.cacheRatio,
        cache_creation: tier.cacheCreationRatio,
      },
      draft.unit,
      quotaPerUnit,
      // Not the place of a stored one.
      1000 + index,
    ),
  );

/** A tool's sized price as text, for the help of its field: "low 5, medium 10, high 15"; undefined for one number. */
export const sizedTexts = (own: OwnPrice, tool: ToolField): readonly string[] | undefined => {
  const price = own.tools[tool];
  return price === undefined || typeof price === "string" ? undefined : CONTEXT_SIZES.map((size) => price[size]);
};

/** Ratio and whole base of each field as the draft would store them, for the sentence beside a field. */
export function fieldRatios(read: ReadDraft, base: ModelPrice | undefined) {
  const ratios = ratiosUnder(ownRatios(read.own), base);
  return (field: TokenField): { ratio: string | undefined; whole: string | undefined } => ({
    ratio: ratios[field],
    whole: wholeBase(ratios, field),
  });
}
