/** Prices one charge of the ledger again under other prices, by the same price code; pure, so that any thread can call it. */
import { appliedRatio } from "../../../../../contract/src/group-rules.ts";
import type { DryRunNote } from "../../../../../contract/src/pricing/dry-run.ts";
import { chargeQuota, type ModelPrice, UNPRICED_PRICE } from "../../../../../contract/src/pricing/pricing.ts";
import { surchargeRatio } from "../../../../../contract/src/pricing/surcharge-ratios.ts";
import { toolPrice } from "../../../../../contract/src/pricing/tool-prices.ts";
import {
  CHARGED_TOOLS,
  type ChargedTool,
  NO_USAGE,
  type Surcharge,
  SURCHARGES,
  type ToolCalls,
  type Usage,
  type UsedSurcharge,
} from "../../../../../contract/src/pricing/usage.ts";
import { type ChargeDetail, ChargeDetailReader, type StoredCalls } from "../../../billing/charge-detail.ts";
import type { DraftTables, DraftTerms } from "./terms.ts";

/** A charge as it is read from the ledger. */
export interface ChargeRow {
  id: number;
  created_at: number;
  user_id: number;
  model: string;
  group_name: string;
  /** What was charged, in quota. */
  used_delta: number;
  detail: string;
}

/** Lists of the reasons why a charge is not exact; most charges have none. */
export interface Repriced {
  quota: number;
  notes: readonly DryRunNote[];
}

const NO_NOTES: readonly DryRunNote[] = [];

const isTool = (name: string): name is ChargedTool => CHARGED_TOOLS.some((tool) => tool === name);
const isSurcharge = (name: string): name is Surcharge => SURCHARGES.some((surcharge) => surcharge === name);

/** The counts that a price by tokens asks for. Written out, since every charge runs it. */
function tokensOf(counts: readonly number[], { w, o, b }: ChargeDetail): Usage {
  const [input = 0, output = 0, read = 0, written = 0, heard = 0, seen = 0, said = 0] = b ?? counts;
  return {
    inputTokens: input,
    outputTokens: output,
    cacheReadTokens: read,
    cacheWriteTokens: written,
    cacheWriteLongTokens: (b === undefined ? w?.[0] : b[7]) ?? 0,
    reasoningTokens: 0,
    imageInputTokens: seen,
    audioInputTokens: heard,
    audioOutputTokens: said,
    imageOutputTokens: (b === undefined ? o : b[8]) ?? 0,
    callFactor: "1",
    toolCalls: NO_USAGE.toolCalls,
    surcharges: NO_USAGE.surcharges,
    isEstimated: false,
  };
}

/** Patterns are matched once for each kind of call; beyond so many kinds the memory begins anew. */
const MAX_REMEMBERED = 10_000;

export class Rerun {
  readonly #terms: DraftTerms;
  readonly #tables: DraftTables;
  readonly #reader = new ChargeDetailReader();
  readonly #found = new Map<string, string>();

  constructor(terms: DraftTerms) {
    this.#terms = terms;
    this.#tables = terms.tables;
  }

  /** The charge of the call under the draft. */
  charge(row: ChargeRow): Repriced {
    const read = this.#reader.read(row.detail);
    if (read === undefined) return { quota: Number(row.used_delta), notes: ["unreadable"] };
    const { detail } = read;
    const price = this.#terms.priceOf(row.model);
    const used = price ?? UNPRICED_PRICE;
    const usage = this.#usage(row, read.counts, detail, used);
    const { groupRatios, quotaPerUnit } = this.#tables;
    const ratio = appliedRatio(groupRatios, detail.i ?? row.group_name, row.group_name)?.ratio;
    const quota = chargeQuota(usage, used, ratio ?? detail.g, quotaPerUnit);
    if (detail.isComplete && price !== undefined && ratio !== undefined) return { quota, notes: NO_NOTES };
    const notes = detail.isComplete ? [] : lacking(detail, used);
    if (price === undefined) notes.push("unpriced");
    if (ratio === undefined) notes.push("group_gone");
    return { quota, notes };
  }

  #usage({ model }: ChargeRow, counts: readonly number[], detail: ChargeDetail, price: ModelPrice): Usage {
    const { t: tools, m: surcharges, a: namedModel = model } = detail;
    const usage = price.kind === "per_token" ? tokensOf(counts, detail) : { ...NO_USAGE, callFactor: detail.c ?? "1" };
    if (tools !== undefined) usage.toolCalls = this.#toolCalls(tools, namedModel);
    if (surcharges !== undefined) usage.surcharges = surcharges.flatMap(([name]) => this.#surcharge(name, namedModel));
    return usage;
  }

  #toolCalls(tools: NonNullable<ChargeDetail["t"]>, namedModel: string): ToolCalls[] {
    return tools.flatMap(([tool, calls, usdPerThousand, alike]) => {
      if (!isTool(tool)) return [];
      if (alike === undefined) return [{ tool, calls, usdPerThousand }];
      return alike.map((each) => ({ tool, calls: each[0], usdPerThousand: this.#toolPrice(tool, each, namedModel) }));
    });
  }

  #toolPrice(tool: ChargedTool, [, size = "medium", name = "", model]: StoredCalls, namedModel: string): string {
    const own = model ?? namedModel;
    return this.#remember(`${tool}\0${own}\0${name}\0${size}`, () =>
      toolPrice({ ToolPrices: this.#tables.toolPrices }, tool, own, { name, size }),
    );
  }

  #surcharge(name: string, model: string): UsedSurcharge[] {
    if (!isSurcharge(name)) return [];
    const options = { PremiumRatios: this.#tables.surchargeRatios };
    const ratio = this.#remember(`${name}\0${model}`, () => surchargeRatio(options, name, model));
    return [{ surcharge: name, ratio }];
  }

  #remember(key: string, find: () => string): string {
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    if (this.#found.size >= MAX_REMEMBERED) this.#found.clear();
    const found = find();
    this.#found.set(key, found);
    return found;
  }
}

/** Fields that a row of an older version lacks, as far as this price needs them. */
function lacking(detail: ChargeDetail, price: ModelPrice): DryRunNote[] {
  const notes: DryRunNote[] = [];
  if (detail.t?.some(([, , , alike]) => alike === undefined)) notes.push("tools_kept");
  const wasFixed = detail.f !== undefined;
  if (!wasFixed && price.kind === "per_call") notes.push("factor_unknown");
  if (wasFixed && price.kind === "per_token") notes.push("parts_unknown");
  return notes;
}
