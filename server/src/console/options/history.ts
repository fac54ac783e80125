/** What became of one option, newest first, out of the administrators' log. */
import { AppError } from "../../../../contract/src/errors.ts";
import {
  OPTION_EVENTS,
  OPTION_HISTORY_LENGTH,
  type OptionHistoryEntry,
} from "../../../../contract/src/features/options.ts";
import { isOptionName, optionDefinition, type OptionName } from "../../../../contract/src/options/options.ts";
import { OWN_PRICE_OPTIONS } from "../../../../contract/src/pricing/own-prices.ts";
import { type JsonFields, objectOf, parseJson } from "../../util/json-read.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { auditText, isCut } from "./audit-texts.ts";
import { readAuditRows } from "./history-store.ts";

const auditTextOf = (value: unknown): string | undefined => (typeof value === "string" ? auditText(value) : undefined);

/** The texts of a change, where the log has them; a secret has none, whatever a row may say. */
function texts(name: OptionName, from: unknown, to: unknown): Pick<OptionHistoryEntry, "from" | "to" | "is_cut"> {
  if (optionDefinition(name).isSecret) return { is_cut: false };
  const [before, after] = [auditTextOf(from), auditTextOf(to)];
  return {
    ...(before === undefined ? {} : { from: before }),
    ...(after === undefined ? {} : { to: after }),
    is_cut: isCut(before ?? "") || isCut(after ?? ""),
  };
}

/** Where an own price keeps what an option says of the model. */
function partOf(name: OptionName, price: unknown): unknown {
  const { ratios, tiers, tools } = objectOf(price);
  if (name === "ContextTiers") return tiers;
  return name === "ToolPrices" ? tools : objectOf(ratios)[name];
}

const touches = (name: OptionName, changes: unknown): boolean =>
  Array.isArray(changes) &&
  changes.map(objectOf).some(({ from, to }) => JSON.stringify(partOf(name, from)) !== JSON.stringify(partOf(name, to)));

/** What each event says of an option; undefined where it was about others. */
const READERS: Readonly<
  Record<
    OptionHistoryEntry["event"],
    (name: OptionName, detail: JsonFields) => Pick<OptionHistoryEntry, "from" | "to" | "is_cut"> | undefined
  >
> = {
  option_changed: (name, { option, from, to }) => (option === name ? texts(name, from, to) : undefined),
  prices_changed: (name, { changes }) => (touches(name, changes) ? { is_cut: false } : undefined),
  ratios_reset(name, { before }) {
    const row = (Array.isArray(before) ? before : []).map(objectOf).find(({ option }) => option === name);
    return row === undefined ? undefined : texts(name, row["from"], "{}");
  },
};

/** Only prices of models change by more than one event. */
const eventsOf = (name: OptionName): readonly OptionHistoryEntry["event"][] =>
  name === "ToolPrices" || (OWN_PRICE_OPTIONS as readonly OptionName[]).includes(name)
    ? OPTION_EVENTS
    : ["option_changed"];

/** The newest changes of one option. Throws AppError option_unknown. */
export async function optionHistory(context: ConsoleContext, key: string): Promise<OptionHistoryEntry[]> {
  if (!isOptionName(key)) throw new AppError("option_unknown", { field: "key" });
  const rows = await readAuditRows(context.database, key, eventsOf(key), OPTION_HISTORY_LENGTH);
  return rows.flatMap(({ created_at, username, other }) => {
    const { event, admin_info } = objectOf(parseJson(other));
    const code = OPTION_EVENTS.find((each) => each === objectOf(event)["code"]);
    const said = code && READERS[code](key, objectOf(admin_info));
    return code && said ? [{ created_time: created_at, username, event: code, ...said }] : [];
  });
}
