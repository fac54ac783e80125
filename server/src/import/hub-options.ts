/** Groups and prices of one-hub and done-hub, which have tables of their own, as the options that say the same here. */
import type { OptionName } from "../../../contract/src/options/options.ts";
import { objectOf, parseJson } from "../util/json-read.ts";
import { flagIn, numberIn, textIn } from "./cells.ts";
import type { Report } from "./report.ts";
import type { SourceRow } from "./source.ts";
import { isHub, type KnownSource } from "./systems.ts";
import { readTable } from "./tables.ts";

type Texts = ReadonlyMap<string, string>;

/** JSON of names and decimal texts, which keep all their digits. */
const jsonOf = (decimals: ReadonlyMap<string, string>): string =>
  `{${[...decimals].map(([name, decimal]) => `${JSON.stringify(name)}:${decimal}`).join(",")}}`;

const DECIMALS = 12;
const SCALE = 10n ** BigInt(DECIMALS);

/** A number as the engines write it, in parts of 10^-12; undefined for what is none or below 0. */
function scaled(text: string): bigint | undefined {
  const number = Number(text.trim() || "0");
  if (!Number.isFinite(number) || number < 0) return undefined;
  const [, whole = "", fraction = ""] = /^(\d+)(?:\.(\d+))?$/.exec(number.toFixed(DECIMALS)) ?? [];
  return BigInt(whole + fraction.padEnd(DECIMALS, "0"));
}

/** Without zeros behind. */
function decimalOf(amount: bigint): string {
  const fraction = String(amount % SCALE)
    .padStart(DECIMALS, "0")
    .replace(/0+$/, "");
  return `${amount / SCALE}${fraction === "" ? "" : `.${fraction}`}`;
}

async function groupOptions(source: KnownSource, report: Report, here: Texts): Promise<[OptionName, string][]> {
  const ratios = new Map<string, string>();
  const usable: Record<string, string> = {};
  for await (const rows of readTable(source, "user_groups", report))
    for (const row of rows) {
      const symbol = textIn(row, "symbol").trim();
      const ratio = scaled(textIn(row, "ratio"));
      const isOn = symbol !== "" && ratio !== undefined && flagIn(row, "enable") !== false;
      report.count("user_groups", !isOn ? "refused" : here.has("GroupRatio") ? "known" : "brought");
      if (!isOn) report.add("group_off", `#${numberIn(row, "id")} ${symbol}`);
      if (!isOn) continue;
      ratios.set(symbol, decimalOf(ratio));
      if (flagIn(row, "public") === true) usable[symbol] = textIn(row, "name") || symbol;
    }
  if (ratios.size === 0) return [];
  return [
    ["GroupRatio", jsonOf(ratios)],
    ["UserUsableGroups", JSON.stringify(usable)],
  ];
}

/** Factors of input that have a table of their own here. */
const RATIO_TABLES = {
  cached_tokens: "CacheRatio",
  cached_read_tokens: "CacheRatio",
  cached_write_tokens: "CacheCreationRatio",
  input_image_tokens: "ImageRatio",
  input_audio_tokens: "AudioRatio",
} as const;

/** USD of 1,000 tokens, or of a call, that a ratio of 1 comes to: 2 thousandths. */
const usdOf = (ratio: bigint): bigint => ratio / 500n;

class Prices {
  readonly #tables = new Map<OptionName, Map<string, string>>();

  set(table: OptionName, model: string, decimal: string): void {
    this.#tables.getOrInsertComputed(table, () => new Map()).set(model, decimal);
  }

  options(): [OptionName, string][] {
    return [...this.#tables].map(([table, decimals]) => [table, jsonOf(decimals)]);
  }
}

function readFurther(row: SourceRow, model: string, { prices, report }: { prices: Prices; report: Report }): void {
  const further = objectOf(parseJson(textIn(row, "extra_ratios") || "{}"));
  for (const [name, value] of Object.entries(further)) {
    const table = (RATIO_TABLES as Readonly<Record<string, OptionName>>)[name];
    const ratio = typeof value === "number" ? scaled(String(value)) : undefined;
    if (table !== undefined && ratio !== undefined) prices.set(table, model, decimalOf(ratio));
    else report.add("price_ratio_dropped", `${model}: ${name}`);
  }
}

/** Input and output are both ratios there, output here is one of input. @returns whether the price can be said here */
function readPrice(row: SourceRow, context: { prices: Prices; report: Report }): boolean {
  const { prices, report } = context;
  const model = textIn(row, "model").trim();
  const [input, output] = [scaled(textIn(row, "input")), scaled(textIn(row, "output"))];
  if (model === "" || input === undefined || output === undefined || (input === 0n && output > 0n)) {
    report.add("price_without_input", model);
    return false;
  }
  if (textIn(row, "type") === "times") {
    prices.set("ModelPrice", model, decimalOf(usdOf(input)));
    return true;
  }
  prices.set("ModelRatio", model, decimalOf(input));
  if (input > 0n) {
    prices.set("CompletionRatio", model, decimalOf((output * SCALE) / input));
    if ((output * SCALE) % input !== 0n) report.add("price_rounded", model);
  }
  readFurther(row, model, context);
  return true;
}

async function priceOptions(source: KnownSource, report: Report, here: Texts): Promise<[OptionName, string][]> {
  const prices = new Prices();
  for await (const rows of readTable(source, "prices", report))
    for (const row of rows) {
      const isSaid = readPrice(row, { prices, report });
      report.count("prices", !isSaid ? "refused" : here.has("ModelRatio") ? "known" : "brought");
    }
  return prices.options();
}

/**
 * Options that stand in tables of their own there; none for programs that have no such tables.
 * @param here options that are set here already, by which rows count as known
 */
export async function optionsOfTables(
  source: KnownSource,
  report: Report,
  here: Texts,
): Promise<Map<OptionName, string>> {
  if (!isHub(source.system)) return new Map();
  const groups = await groupOptions(source, report, here);
  const options = new Map([...groups, ...(await priceOptions(source, report, here))]);
  report.count("options", "found", options.size);
  return options;
}
