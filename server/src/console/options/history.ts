/** The change history of one option, newest first, from the administrators' log. */
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import {
  OPTION_EVENTS,
  OPTION_HISTORY_LENGTH,
  type OptionHistoryEntry,
} from "../../../../contract/src/features/options.ts";
import { isOptionName, optionDefinition, type OptionName } from "../../../../contract/src/options/options.ts";
import { OWN_PRICE_OPTIONS } from "../../../../contract/src/pricing/own-prices.ts";
import type { Database } from "../../db/database.ts";
import { newestFirst } from "../../db/log-order.ts";
import { type JsonFields, objectOf, parseJson } from "../../util/json-read.ts";
import type { ConsoleContext } from "../http/handlers.ts";

/** Longest value repeated in the log, in characters. */
const AUDIT_LENGTH = 2_000;
const CUT = "…";

/** A value as it stands in the administrators' log: whole, or cut where it is long. */
export const auditText = (text: string): string =>
  text.length > AUDIT_LENGTH ? `${text.slice(0, AUDIT_LENGTH)}${CUT}` : text;

/** Whether a text of the log is not the whole value. */
const isCut = (text: string): boolean => text.length > AUDIT_LENGTH && text.endsWith(CUT);

/** How a row of an event begins, as kit/audit.ts writes it. `_` in a name matches any character: who reads the rows looks again. */
const beginningOf = (event: OptionHistoryEntry["event"], option: string): string =>
  event === "option_changed"
    ? `{"event":{"code":"${event}","values":{"option":"${option}"%`
    : `{"event":{"code":"${event}"%`;

/** The newest rows whose event may be about the option. Of the log only rows of this type are looked at, which administrators alone write. */
export function readAuditRows(
  { logs }: Pick<Database, "logs">,
  option: string,
  events: readonly OptionHistoryEntry["event"][],
  limit: number,
) {
  const rows = logs.kysely
    .selectFrom("logs")
    .select(["created_at", "username", "other"])
    .where("type", "=", LOG_TYPE.admin)
    .where((is) => is.or(events.map((event) => is("other", "like", beginningOf(event, option)))));
  return newestFirst(logs, rows, { limit });
}

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
