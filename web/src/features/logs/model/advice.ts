/** Advice on a failed call: one piece for each cause, with the page on which it is done. Pure. */
import { causeOf, causeOfStatus } from "./log-row.ts";
import type { LogRow } from "./log-row.ts";
import type { Receipt } from "./receipt.ts";

/** Pages on which the causes of failures are mended, by the address that leads there. */
export interface AdviceLink {
  /** Key of the button's text under `advice.act`. */
  act: string;
  href: string;
}

export interface Advice {
  /** Key of the sentence under `advice`. */
  text: string;
  link: AdviceLink | undefined;
}

interface Asked {
  row: LogRow;
  receipt: Receipt;
}

type Rule = (asked: Asked) => AdviceLink | undefined;

const addressOf = (path: string, search: Readonly<Record<string, string | number>>): string =>
  `${path}?${new URLSearchParams(Object.entries(search).map(([name, value]) => [name, String(value)])).toString()}`;

/** The channel that failed last; that of the row where the receipt names none. */
const channelOf = ({ row, receipt }: Asked): number | undefined =>
  receipt.tried.at(-1)?.id ?? (row.channel || undefined);

const ofChannel =
  (act: string, hrefOf: (id: number) => string): Rule =>
  (asked) => {
    const id = channelOf(asked);
    return id === undefined ? undefined : { act, href: hrefOf(id) };
  };
const editChannel = (act: string): Rule => ofChannel(act, (id) => `/channel/edit/${id}`);
const channelHealth = ofChannel("health", (id) => addressOf("/channel/health", { keyword: id }));
const explainRoute: Rule = ({ row }) =>
  row.request_id === ""
    ? undefined
    : { act: "explain", href: addressOf("/channel/route", { request: row.request_id }) };
const editToken: Rule = ({ row }) =>
  row.token_id === 0 ? undefined : { act: "token", href: addressOf("/token", { open: "edit", id: row.token_id }) };
const priceModel: Rule = ({ row }) =>
  row.model_name === "" ? undefined : { act: "price", href: addressOf("/prices", { keyword: row.model_name }) };
/** Where the groups of its channels are set; the list leads to a new channel where none has it. */
const channelsOfModel: Rule = ({ row }) =>
  row.model_name === "" ? undefined : { act: "groups", href: addressOf("/channel", { model: row.model_name }) };
const findUser: Rule = ({ row }) =>
  row.username === "" ? undefined : { act: "user", href: addressOf("/user", { keyword: row.username }) };
const nowhere: Rule = () => undefined;

/** By the code of the gateway's own refusals. */
const ADMIN_BY_CODE: Readonly<Record<string, Rule>> = {
  insufficient_user_quota: findUser,
  pre_consume_token_quota_failed: findUser,
  quota_reached: findUser,
  model_price_error: priceModel,
  model_not_found: channelsOfModel,
  no_available_channel: explainRoute,
  not_translatable: explainRoute,
  input_too_long: explainRoute,
  upstream_unreachable: editChannel("baseUrl"),
  upstream_timeout: channelHealth,
  upstream_broken: channelHealth,
  sensitive_words_detected: () => ({ act: "words", href: addressOf("/setting", { section: "sensitive_words" }) }),
};

/** By the cause of the last attempt, else of the answer. */
const ADMIN_BY_CAUSE: Readonly<Record<string, Rule>> = {
  auth: editChannel("key"),
  quota: editChannel("account"),
  rate: editChannel("addKey"),
  overloaded: channelHealth,
  timeout: channelHealth,
  network: editChannel("baseUrl"),
  missing: editChannel("channelModels"),
};

const OWN_BY_CODE: Readonly<Record<string, Rule>> = {
  insufficient_user_quota: () => ({ act: "topUp", href: "/topup" }),
  quota_reached: () => ({ act: "topUp", href: "/topup" }),
  pre_consume_token_quota_failed: editToken,
  model_not_found: () => ({ act: "models", href: "/pricing" }),
  model_price_error: nowhere,
  no_available_channel: () => ({ act: "models", href: "/pricing" }),
  input_too_long: () => ({ act: "models", href: "/pricing" }),
  not_translatable: nowhere,
  sensitive_words_detected: nowhere,
};

const OWN_BY_CAUSE: Readonly<Record<string, Rule>> = { rate: nowhere, overloaded: nowhere, timeout: nowhere };

const ownRule = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** The advice on a failed call; undefined where none is known. */
export function adviceOf(row: LogRow, receipt: Receipt, isAdmin: boolean): Advice | undefined {
  const asked = { row, receipt };
  const code = receipt.error_code ?? "";
  const causes = [causeOf(receipt.tried.at(-1)?.reason ?? ""), causeOfStatus(receipt.status_code)];
  const byCode = ownRule(isAdmin ? ADMIN_BY_CODE : OWN_BY_CODE, code);
  const who = isAdmin ? "admin" : "own";
  if (byCode !== undefined) return { text: `${who}.${code}`, link: byCode(asked) };
  const table = isAdmin ? ADMIN_BY_CAUSE : OWN_BY_CAUSE;
  const cause = causes.find((each) => ownRule(table, each) !== undefined) ?? "";
  const byCause = ownRule(table, cause);
  return byCause === undefined ? undefined : { text: `${who}.${cause}`, link: byCause(asked) };
}

/** Half of the time around a failure in which similar ones are looked for. */
const AROUND_S = 86_400;

/** The filters that find failures like this one: same code, same model, within a day. */
export const similarTo = (row: LogRow, receipt: Receipt): Record<string, string> | undefined =>
  receipt.error_code === undefined || receipt.error_code === ""
    ? undefined
    : {
        type: "5",
        error_code: receipt.error_code,
        ...(row.model_name === "" ? {} : { model_name: row.model_name }),
        start_timestamp: String(row.created_at - AROUND_S),
        end_timestamp: String(row.created_at + AROUND_S),
      };
