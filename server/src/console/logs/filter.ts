/** Filters of the log: names people type become ids, so that every list and total runs along an index. */
import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import { sql } from "kysely";
import { LOG_TYPE } from "../../../../contract/src/constants.ts";
import { receiptShorthand } from "../../billing/shorthand.ts";
import type { Database, LogDatabase } from "../../db/database.ts";
import { isOfRequest } from "../../db/log-order.ts";
import { like, unindexed } from "../../db/portable.ts";
import type { Schema } from "../../db/schema.ts";

/** As it was asked; undefined and 0 mean 'all'. Times in Unix seconds, inclusive. */
export interface LogQuery {
  /** Whose rows; undefined for everybody's. */
  userId?: number | undefined;
  username?: string | undefined;
  tokenName?: string | undefined;
  /** Names are exact; in each, `%` stands for any characters, and then small and capital letters are the same. */
  modelName?: string | undefined;
  group?: string | undefined;
  channelId?: number | undefined;
  type?: number | undefined;
  /** Any of these; empty for all. */
  types?: readonly number[] | undefined;
  requestId?: string | undefined;
  /** Total time, at least so many milliseconds. */
  minTimeMs?: number | undefined;
  /** Cost, at least so much quota. */
  minQuota?: number | undefined;
  errorCode?: string | undefined;
  /** Id of the program that called. */
  client?: string | undefined;
  /** Failed, or was answered only after an attempt that failed. */
  hasError?: boolean | undefined;
  /** By which the upstream of any attempt knows the request. */
  upstreamRequestId?: string | undefined;
  start?: number | undefined;
  end?: number | undefined;
}

/** With names looked up. */
export interface LogFilter {
  userId: number | undefined;
  /** Tokens of that name; undefined for all. */
  tokenIds: readonly number[] | undefined;
  /** Whose these tokens are, where there is more than one owner; a single owner is `userId`. */
  ownerIds: readonly number[] | undefined;
  /** Set where no stored token has the name: calls without a token carry one too (playground). */
  tokenName: string | undefined;
  /** Set where too many people have a name of that pattern to be named by id. */
  username: string | undefined;
  modelName: string | undefined;
  group: string | undefined;
  channelId: number | undefined;
  type: number | undefined;
  types: readonly number[] | undefined;
  requestId: string | undefined;
  minTimeMs: number | undefined;
  minQuota: number | undefined;
  errorCode: string | undefined;
  client: string | undefined;
  hasError: true | undefined;
  upstreamRequestId: string | undefined;
  start: number | undefined;
  end: number | undefined;
  /** The index to use; the first of `leadsOf` where absent. */
  lead?: Lead;
}

/** No condition at all. */
export const ALL: LogFilter = {
  userId: undefined,
  tokenIds: undefined,
  ownerIds: undefined,
  tokenName: undefined,
  username: undefined,
  modelName: undefined,
  group: undefined,
  channelId: undefined,
  type: undefined,
  types: undefined,
  requestId: undefined,
  minTimeMs: undefined,
  minQuota: undefined,
  errorCode: undefined,
  client: undefined,
  hasError: undefined,
  upstreamRequestId: undefined,
  start: undefined,
  end: undefined,
};

/** More tokens of one name than this are found by name and not by id. */
const NAMED_TOKENS_MAX = 200;
/** The same of people whose names are like one. */
const NAMED_PEOPLE_MAX = 20;

/** Where the rows of a condition are. */
type On = Pick<LogDatabase, "engine">;

/** The text as it is, or with `%` as a pattern in which nothing else is special and small and capital letters are the same. */
export function matches(on: On, column: Expression<string>, text: string): Expression<SqlBool> {
  if (!isPattern(text)) return sql<SqlBool>`${column} = ${text}`;
  const pattern = text.replaceAll(/[!_]/g, "!$&");
  if (on.engine === "clickhouse") return like(on, sql`lowerUTF8(${column})`, pattern.toLowerCase());
  return sql<SqlBool>`lower(${column}) like lower(${pattern}) escape '!'`;
}

const isPattern = (text: string | undefined): boolean => text?.includes("%") === true;

type People = Pick<LogFilter, "userId" | "ownerIds" | "username">;

/** Whose rows are asked for; undefined where no account has that name. */
async function peopleOf(database: Database, { userId, username }: LogQuery): Promise<People | undefined> {
  const nobodyElse = { userId, ownerIds: undefined, username: undefined };
  if (userId !== undefined || username === undefined) return nobodyElse;
  const rows = await database.kysely
    .selectFrom("users")
    .select("id")
    .where((builder) => matches(database, builder.ref("username"), username))
    .limit(NAMED_PEOPLE_MAX + 1)
    .execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return undefined;
  if (ids.length === 1) return { ...nobodyElse, userId: ids[0] };
  return ids.length > NAMED_PEOPLE_MAX ? { ...nobodyElse, username } : { ...nobodyElse, ownerIds: ids };
}

interface NamedTokens {
  ids: number[];
  /** Each owner once. */
  owners: number[];
}

async function tokensNamed(database: Database, name: string, { userId, ownerIds }: People): Promise<NamedTokens> {
  let named = database.kysely
    .selectFrom("tokens")
    .select(["id", "user_id"])
    .where((builder) => matches(database, builder.ref("name"), name))
    .limit(NAMED_TOKENS_MAX + 1);
  if (userId !== undefined) named = named.where("user_id", "=", userId);
  if (ownerIds !== undefined) named = named.where("user_id", "in", [...ownerIds]);
  const rows = await named.execute();
  return { ids: rows.map(({ id }) => id), owners: [...new Set(rows.map(({ user_id }) => user_id))] };
}

/** The tokens of a name as conditions. Rows have their token's owner, and no index begins with a token: the owner leads to them. */
async function tokenFilter(
  database: Database,
  { tokenName }: LogQuery,
  people: People,
): Promise<People & Pick<LogFilter, "tokenIds" | "tokenName">> {
  const byName = { ...people, tokenIds: undefined, tokenName };
  if (tokenName === undefined) return byName;
  const { ids, owners } = await tokensNamed(database, tokenName, people);
  if (ids.length === 0 || ids.length > NAMED_TOKENS_MAX) return byName;
  const isOneOwner = owners.length === 1;
  const ownerIds = isOneOwner ? undefined : owners;
  return { ...people, userId: isOneOwner ? owners[0] : people.userId, tokenIds: ids, ownerIds, tokenName: undefined };
}

const positive = (value: number | undefined): number | undefined =>
  value === undefined || value <= 0 ? undefined : value;

/** Looks the names up. Undefined where nothing can match: there is no such user. */
export async function resolveFilter(database: Database, query: LogQuery): Promise<LogFilter | undefined> {
  const people = await peopleOf(database, query);
  if (people === undefined) return undefined;
  const { modelName, group, requestId, errorCode, client, upstreamRequestId, types = [] } = query;
  return {
    ...(await tokenFilter(database, query, people)),
    modelName,
    group,
    requestId,
    errorCode,
    client,
    upstreamRequestId,
    channelId: positive(query.channelId),
    type: positive(query.type),
    types: types.length === 0 ? undefined : types,
    minTimeMs: positive(query.minTimeMs),
    minQuota: positive(query.minQuota),
    hasError: query.hasError === true ? true : undefined,
    start: positive(query.start),
    end: positive(query.end),
  };
}

/**
 * The filters that an index begins with. Every such index continues by (created_at, id), so what is found along it is in the order of the
 * pages. Without any of them the index by time leads.
 */
const LEADS = ["requestId", "userId", "ownerIds", "channelId", "modelName", "group", "type"] as const;
export type Lead = (typeof LEADS)[number];

const PATTERNS: readonly Lead[] = ["modelName", "group"];

/** The filter's leads, the narrowest first as far as is known without counting: errors are few, calls are nearly all rows. */
export function leadsOf(filter: LogFilter): Lead[] {
  if (filter.requestId !== undefined) return ["requestId"];
  const given = LEADS.filter((name) => filter[name] !== undefined);
  // An index finds single names and no patterns.
  const leads = given.filter((name) => !PATTERNS.includes(name) || !isPattern(String(filter[name])));
  const isFew = filter.type !== LOG_TYPE.consumption;
  return isFew ? leads.toSorted((a, b) => Number(b === "type") - Number(a === "type")) : leads;
}

/** Conditions that no index knows: rows have to be read for them. */
const ROW_CONDITIONS = [
  "tokenName",
  "username",
  "minTimeMs",
  "minQuota",
  "errorCode",
  "client",
  "hasError",
  "upstreamRequestId",
] as const;

/** Whether rows have to be read only to be left out. */
export const readsRows = (filter: LogFilter): boolean => ROW_CONDITIONS.some((name) => filter[name] !== undefined);

/** Whether entries of an index have to be looked at only to be left out by a pattern. */
export const hasPattern = (filter: LogFilter): boolean => isPattern(filter.modelName) || isPattern(filter.group);

/** How many conditions there are but for the times. */
export const conditionCount = ({ start: _start, end: _end, lead: _lead, ...rest }: LogFilter): number =>
  Object.values(rest).filter((value) => value !== undefined).length;

/** Whether the filter asks for this type, alone or among others. */
export const asksFor = ({ type, types }: LogFilter, wanted: number): boolean =>
  (type === undefined || type === wanted) && (types === undefined || types.includes(wanted));

/** The filter for one type alone; the lead is chosen anew, since errors are few and calls are not. */
export const only = ({ lead, ...filter }: LogFilter, type: number): LogFilter => ({
  ...filter,
  type,
  types: undefined,
  ...(lead === undefined || lead === "type" ? {} : { lead }),
});

type LogBuilder = ExpressionBuilder<Schema, "logs">;

/** The same value, as an expression that no index knows: SQLite has no statistics and would take the wrong one. */
const plainText = (column: Expression<string>) => sql<string>`concat(${column}, '')`;

/** Rows of which database, in whose statement, along which index. */
interface Context {
  on: On;
  builder: LogBuilder;
  lead: Lead | undefined;
}

function numberConditions({ on, builder, lead }: Context, filter: LogFilter): Expression<SqlBool>[] {
  const { userId, tokenIds, ownerIds, channelId, type, types } = filter;
  const column = (name: "logs.user_id" | "logs.token_id" | "logs.channel_id" | "logs.type", leads: boolean) =>
    leads ? builder.ref(name) : unindexed(on, builder.ref(name));
  const all: Expression<SqlBool>[] = [];
  if (userId !== undefined) all.push(builder(column("logs.user_id", lead === "userId"), "=", userId));
  if (ownerIds !== undefined) all.push(builder(column("logs.user_id", lead === "ownerIds"), "in", [...ownerIds]));
  if (tokenIds !== undefined) all.push(builder(column("logs.token_id", false), "in", [...tokenIds]));
  if (channelId !== undefined) all.push(builder(column("logs.channel_id", lead === "channelId"), "=", channelId));
  if (type !== undefined) all.push(builder(column("logs.type", lead === "type"), "=", type));
  if (types !== undefined) all.push(builder(column("logs.type", false), "in", [...types]));
  return all;
}

function textConditions({ on, builder, lead }: Context, filter: LogFilter): Expression<SqlBool>[] {
  const { requestId, tokenName, username, modelName, group } = filter;
  const column = (name: "logs.model_name" | "logs.group_name", leads: boolean) =>
    leads ? builder.ref(name) : plainText(builder.ref(name));
  const all: Expression<SqlBool>[] = [];
  if (requestId !== undefined) all.push(isOfRequest(on, builder, requestId));
  if (tokenName !== undefined) all.push(matches(on, builder.ref("logs.token_name"), tokenName));
  if (username !== undefined) all.push(matches(on, builder.ref("logs.username"), username));
  if (modelName !== undefined) all.push(matches(on, column("logs.model_name", lead === "modelName"), modelName));
  if (group !== undefined) all.push(matches(on, column("logs.group_name", lead === "group"), group));
  return all;
}

/** A receipt in which a channel was tried before the one that answered; in the order in which the relay writes it. */
const TRIED_SEVERAL = ['"use_channel":[', '],"tried":'] as const;

/** Receipts that have these parts with anything between them, as JSON or in short form. */
function likeReceipt({ on, builder }: Context, parts: readonly string[]): Expression<SqlBool> {
  const pattern = (form: (part: string) => string): string =>
    `%${parts.map((part) => form(part).replaceAll(/[!_%]/g, "!$&")).join("%,%")}%`;
  const forms = [(part: string) => part, (part: string) => receiptShorthand.part(part)];
  return builder.or(forms.map((form) => like(on, builder.ref("logs.other"), pattern(form))));
}

/** A receipt's field with this text, as JSON writes it. */
const field = (name: string, text: string): string[] => [JSON.stringify({ [name]: text }).slice(1, -1)];

function callConditions(context: Context, filter: LogFilter): Expression<SqlBool>[] {
  const { on, builder } = context;
  const { minTimeMs, minQuota, errorCode, client, hasError, upstreamRequestId } = filter;
  const all: Expression<SqlBool>[] = [];
  if (minTimeMs !== undefined) all.push(builder("logs.use_time_ms", ">=", minTimeMs));
  if (minQuota !== undefined) all.push(builder("logs.quota", ">=", minQuota));
  const isError = builder(unindexed(on, builder.ref("logs.type")), "=", LOG_TYPE.error);
  const has = (parts: readonly string[]) => likeReceipt(context, parts);
  if (errorCode !== undefined) all.push(isError, has(field("error_code", errorCode)));
  if (client !== undefined) all.push(has(field("client", client)));
  if (upstreamRequestId !== undefined) all.push(has(field("upstream_request_id", upstreamRequestId)));
  if (hasError === true) all.push(builder.or([isError, has(TRIED_SEVERAL)]));
  return all;
}

/** Conditions of a filter on rows of the log, but for the times. */
export function conditions(on: On, builder: LogBuilder, filter: LogFilter): Expression<SqlBool> {
  const context = { on, builder, lead: filter.lead ?? leadsOf(filter)[0] };
  return builder.and([
    ...numberConditions(context, filter),
    ...textConditions(context, filter),
    ...callConditions(context, filter),
  ]);
}

/** Conditions of the times, inclusive. */
export function timeConditions(
  builder: LogBuilder,
  { start, end }: Pick<LogFilter, "start" | "end">,
): Expression<SqlBool> {
  const all: Expression<SqlBool>[] = [];
  if (start !== undefined) all.push(builder("logs.created_at", ">=", start));
  if (end !== undefined) all.push(builder("logs.created_at", "<=", end));
  return builder.and(all);
}
