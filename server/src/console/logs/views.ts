/** A log row as people get it: administrators whole, everybody else without a single fact about channels. */
import { z } from "zod";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import type { AdminLog, UserLog } from "../../../../contract/src/features/logs.ts";
import { englishOf, readLogEvent } from "../../../../contract/src/logs/read-event.ts";
import { userReceipt } from "../../../../contract/src/logs/receipt.ts";
import { receiptShorthand } from "../../billing/shorthand.ts";
import { type JsonFields, objectOf, parseJson } from "../../util/json-read.ts";
import type { StoredLog } from "./store.ts";

/** Without fields for rows without a receipt, or one that another program wrote: there is nothing to show. */
const parseReceipt = (text: string): JsonFields => objectOf(parseJson(receiptShorthand.read(text)));

/** Names under which upstreams count tokens, and the objects that hold such counts. */
const TOKEN_COUNT = /_tokens$/;
const TOKEN_DETAILS = /_tokens_details?$/;

/** The token counts of an upstream's usage. Some upstreams put there what they charge the operator: that is not the payer's to see. */
function tokenCounts(raw: unknown): Record<string, unknown> {
  if (typeof raw !== "object" || raw === null) return {};
  const counts: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(raw)) {
    if (TOKEN_COUNT.test(name) && typeof value === "number") counts[name] = value;
    if (TOKEN_DETAILS.test(name)) counts[name] = tokenCounts(value);
  }
  return counts;
}

/** The keys of a receipt that its payer may see; what the schema does not name is left out. */
export function receiptForUser(text: string): string {
  const receipt = parseReceipt(text);
  const shown = "raw_usage" in receipt ? { ...receipt, raw_usage: tokenCounts(receipt["raw_usage"]) } : receipt;
  const result = userReceipt.safeParse(shown);
  return JSON.stringify(result.success ? result.data : {});
}

/** "2026-11-21 15:32 UTC" */
const momentText = (seconds: number): string =>
  `${new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;

const priced = z.object({
  model_price: z.number().default(-1),
  model_ratio: z.number(),
  completion_ratio: z.number().optional(),
  group_ratio: z.number(),
});

/** How a call was priced, in the words that scripts of this API family read: "Model ratio 1.25, completion ratio 8, group ratio 1". */
function pricingSentence(receipt: Record<string, unknown>): string {
  const { data } = priced.safeParse(receipt);
  if (data === undefined) return "";
  const group = `group ratio ${data.group_ratio}`;
  if (data.model_price >= 0) return `Model price $${data.model_price}, ${group}`;
  const completion = data.completion_ratio === undefined ? "" : `completion ratio ${data.completion_ratio}, `;
  return `Model ratio ${data.model_ratio}, ${completion}${group}`;
}

/** The text of the row: its event in English, the text it was written with, or how the call was priced. */
function contentOf({ content, other, type }: StoredLog): string {
  if (type === LOG_TYPE.consumption && content === "") return pricingSentence(parseReceipt(other));
  if (!other.includes('"event"')) return content;
  const event = readLogEvent(parseReceipt(other)["event"]);
  return event === undefined ? content : englishOf(event, momentText);
}

function common(row: StoredLog): Omit<UserLog, "other"> {
  return {
    id: row.id,
    request_id: row.request_id,
    user_id: row.user_id,
    created_at: row.created_at,
    type: row.type,
    content: contentOf(row),
    username: row.username,
    token_id: row.token_id,
    token_name: row.token_name,
    model_name: row.model_name,
    group: row.group_name,
    quota: row.quota,
    prompt_tokens: row.prompt_tokens,
    completion_tokens: row.completion_tokens,
    use_time: Math.round(row.use_time_ms / 1000),
    use_time_ms: row.use_time_ms,
    first_token_ms: row.first_token_ms,
    is_stream: row.is_stream === 1,
    ip: row.ip,
  };
}

export const userView = (row: StoredLog): UserLog => ({ ...common(row), other: receiptForUser(row.other) });

/** The shown fields of a channel; undefined where it is gone. */
export type FindChannel = (id: number) => { name: string; type: number } | undefined;

const attempts = z.array(z.looseObject({ id: z.number() }));

/** The channels tried with the type each has now, for its mark. */
function withChannelTypes(receipt: Record<string, unknown>, channelOf: FindChannel): Record<string, unknown> {
  const info = objectOf(receipt["admin_info"]);
  const tried = attempts.safeParse(info["tried"]);
  if (!tried.success) return receipt;
  const typed = tried.data.map((attempt) => ({ ...attempt, type: channelOf(attempt.id)?.type }));
  return { ...receipt, admin_info: { ...info, tried: typed } };
}

const costed = z.object({ admin_info: z.object({ cost: z.object({ quota: z.number() }) }) });

/** Null where the receipt names none. */
const upstreamCost = (receipt: Record<string, unknown>): number | null =>
  costed.safeParse(receipt).data?.admin_info.cost.quota ?? null;

const identified = z.object({
  admin_info: z.object({ tried: z.array(z.object({ upstream_request_id: z.string().optional() })) }),
});

/** Of the channel that was tried last; "" where it named none. */
const upstreamRequestId = (receipt: Record<string, unknown>): string =>
  identified.safeParse(receipt).data?.admin_info.tried.at(-1)?.upstream_request_id ?? "";

/** The channel's name is "" where it is gone. */
export function adminView(row: StoredLog, channelOf: FindChannel): AdminLog {
  const receipt = parseReceipt(row.other);
  return {
    ...common(row),
    other: JSON.stringify(withChannelTypes(receipt, channelOf)),
    channel: row.channel_id,
    channel_name: channelOf(row.channel_id)?.name ?? "",
    upstream_cost: upstreamCost(receipt),
    upstream_request_id: upstreamRequestId(receipt),
  };
}
