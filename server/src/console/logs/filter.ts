/** Filters of the log: names people type become ids, so that every list and total runs along an index. */
import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import { sql } from "kysely";
import { LOG_TYPE } from "../../../../contract/src/features/logs.ts";
import type { Database } from "../../db/database.ts";
import type { Schema } from "../../db/schema.ts";

/** As it was asked; undefined and 0 mean 'all'. Times in Unix seconds, inclusive. */
export interface LogQuery {
  /** Whose rows; undefined for everybody's. */
  userId?: number | undefined;
  username?: string | undefined;
  tokenName?: string | undefined;
  /** `%` stands for any characters. */
  modelName?: string | undefined;
  group?: string | undefined;
  channelId?: number | undefined;
  type?: number | undefined;
  start?: number | undefined;
  end?: number | undefined;
}

/** With names looked up. */
export interface LogFilter {
  userId: number | undefined;
  /** Tokens of that name; undefined for all. */
  tokenIds: readonly number[] | undefined;
  /** Set where no stored token has the name: calls without a token carry one too (playground). */
  tokenName: string | undefined;
  modelName: string | undefined;
  group: string | undefined;
  channelId: number | undefined;
  type: number | undefined;
  start: number | undefined;
  end: number | undefined;
  /** What the database goes along; the first of `leadsOf` where absent. */
  lead?: Lead;
}

/** More tokens of one name than this are found by name and not by id. */
const TOKEN_IDS_MAX = 200;

async function userIdOf(database: Database, query: LogQuery): Promise<number | undefined> {
  if (query.userId !== undefined || query.username === undefined) return query.userId;
  const row = await database.kysely
    .selectFrom("users")
    .select("id")
    .where("username", "=", query.username)
    .executeTakeFirst();
  return row?.id;
}

async function tokenIdsOf(database: Database, name: string, userId: number | undefined): Promise<number[]> {
  const named = database.kysely
    .selectFrom("tokens")
    .select("id")
    .where("name", "=", name)
    .limit(TOKEN_IDS_MAX + 1);
  const rows = await (userId === undefined ? named : named.where("user_id", "=", userId)).execute();
  return rows.map(({ id }) => id);
}

const positive = (value: number | undefined): number | undefined =>
  value === undefined || value <= 0 ? undefined : value;

/** Looks the names up. Undefined where nothing can match: there is no such user. */
export async function resolveFilter(database: Database, query: LogQuery): Promise<LogFilter | undefined> {
  const userId = await userIdOf(database, query);
  if (query.username !== undefined && userId === undefined) return undefined;
  const { tokenName, modelName, group } = query;
  const tokenIds = tokenName === undefined ? undefined : await tokenIdsOf(database, tokenName, userId);
  const isById = tokenIds !== undefined && tokenIds.length > 0 && tokenIds.length <= TOKEN_IDS_MAX;
  return {
    userId,
    tokenIds: isById ? tokenIds : undefined,
    tokenName: isById ? undefined : tokenName,
    modelName,
    group,
    channelId: positive(query.channelId),
    type: positive(query.type),
    start: positive(query.start),
    end: positive(query.end),
  };
}

/** The model as it is, or with `%` as a pattern in which nothing else is special. */
export function modelMatches(column: Expression<string>, name: string): Expression<SqlBool> {
  if (!name.includes("%")) return sql<SqlBool>`${column} = ${name}`;
  const pattern = name.replaceAll(/[!_]/g, "!$&");
  return sql<SqlBool>`${column} like ${pattern} escape '!'`;
}

/**
 * The filters that an index begins with. Every such index goes on by (created_at, id), so what is found along it is in the order of the
 * pages. Without any of them the index by time leads.
 */
const LEADS = ["userId", "tokenIds", "channelId", "modelName", "group", "type"] as const;
export type Lead = (typeof LEADS)[number];

/** The filter's leads, the narrowest first as far as can be told without counting: errors are few, calls are nearly all rows. */
export function leadsOf(filter: LogFilter): Lead[] {
  const given = LEADS.filter((name) => filter[name] !== undefined);
  // An index finds single models and no patterns.
  const leads = given.filter((name) => name !== "modelName" || filter.modelName?.includes("%") === false);
  const isFew = filter.type !== LOG_TYPE.consumption;
  return isFew ? leads.toSorted((a, b) => Number(b === "type") - Number(a === "type")) : leads;
}

type LogBuilder = ExpressionBuilder<Schema, "logs">;

/** The same value, as an expression that no index knows: SQLite has no statistics and would take the wrong one. */
const plainNumber = (column: Expression<number>) => sql<number>`+${column}`;
const plainText = (column: Expression<string>) => sql<string>`concat(${column}, '')`;

function numberConditions(builder: LogBuilder, filter: LogFilter, lead: Lead | undefined): Expression<SqlBool>[] {
  const { userId, tokenIds, channelId, type } = filter;
  const column = (name: "logs.user_id" | "logs.token_id" | "logs.channel_id" | "logs.type", leads: boolean) =>
    leads ? builder.ref(name) : plainNumber(builder.ref(name));
  const all: Expression<SqlBool>[] = [];
  if (userId !== undefined) all.push(builder(column("logs.user_id", lead === "userId"), "=", userId));
  if (tokenIds !== undefined) all.push(builder(column("logs.token_id", lead === "tokenIds"), "in", [...tokenIds]));
  if (channelId !== undefined) all.push(builder(column("logs.channel_id", lead === "channelId"), "=", channelId));
  if (type !== undefined) all.push(builder(column("logs.type", lead === "type"), "=", type));
  return all;
}

function textConditions(builder: LogBuilder, filter: LogFilter, lead: Lead | undefined): Expression<SqlBool>[] {
  const { tokenName, modelName, group } = filter;
  const column = (name: "logs.model_name" | "logs.group_name", leads: boolean) =>
    leads ? builder.ref(name) : plainText(builder.ref(name));
  const all: Expression<SqlBool>[] = [];
  if (tokenName !== undefined) all.push(builder("logs.token_name", "=", tokenName));
  if (modelName !== undefined) all.push(modelMatches(column("logs.model_name", lead === "modelName"), modelName));
  if (group !== undefined) all.push(builder(column("logs.group_name", lead === "group"), "=", group));
  return all;
}

/** Conditions of a filter on rows of the log, but for the times. */
export function conditions(builder: LogBuilder, filter: LogFilter): Expression<SqlBool> {
  const lead = filter.lead ?? leadsOf(filter)[0];
  return builder.and([...numberConditions(builder, filter, lead), ...textConditions(builder, filter, lead)]);
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
