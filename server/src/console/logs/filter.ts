/** Filters of the log: names people type become ids, so that every list and total runs along an index. */
import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import { sql } from "kysely";
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

/** True where one of the indexes (user, id), (token, id), (channel, id) leads to the rows. */
export const hasKey = (filter: LogFilter): boolean =>
  filter.userId !== undefined || filter.tokenIds !== undefined || filter.channelId !== undefined;

/** The model as it is, or with `%` as a pattern in which nothing else is special. */
export function modelMatches(column: Expression<string>, name: string): Expression<SqlBool> {
  if (!name.includes("%")) return sql<SqlBool>`${column} = ${name}`;
  const pattern = name.replaceAll(/[!_]/g, "!$&");
  return sql<SqlBool>`${column} like ${pattern} escape '!'`;
}

/** What the database goes along: the filter's own keys, else model, else type, else time; or the time whatever the filter has. */
export type Lead = "filter" | "time";

/** The same value, as an expression that no index knows: SQLite has no statistics and would take the wrong one. */
const plainNumber = (column: Expression<number>) => sql<number>`+${column}`;
const plainText = (column: Expression<string>) => sql<string>`concat(${column}, '')`;

function modelCondition(builder: ExpressionBuilder<Schema, "logs">, name: string, leads: boolean) {
  const column = builder.ref("logs.model_name");
  return modelMatches(leads ? column : plainText(column), name);
}

/** Conditions of a filter on rows of the log, but for the times. */
export function conditions(
  builder: ExpressionBuilder<Schema, "logs">,
  filter: LogFilter,
  lead: Lead,
): Expression<SqlBool> {
  const { userId, tokenIds, tokenName, modelName, group, channelId, type } = filter;
  const number = (name: "logs.user_id" | "logs.token_id" | "logs.channel_id" | "logs.type", leads: boolean) =>
    leads ? builder.ref(name) : plainNumber(builder.ref(name));
  const isKey = lead === "filter";
  const isModel = isKey && !hasKey(filter);
  const isType = isModel && (modelName === undefined || modelName.includes("%"));
  const all: Expression<SqlBool>[] = [];
  if (userId !== undefined) all.push(builder(number("logs.user_id", isKey), "=", userId));
  if (tokenIds !== undefined) all.push(builder(number("logs.token_id", isKey), "in", [...tokenIds]));
  if (tokenName !== undefined) all.push(builder("logs.token_name", "=", tokenName));
  if (channelId !== undefined) all.push(builder(number("logs.channel_id", isKey), "=", channelId));
  if (group !== undefined) all.push(builder("logs.group_name", "=", group));
  if (type !== undefined) all.push(builder(number("logs.type", isType), "=", type));
  if (modelName !== undefined) all.push(modelCondition(builder, modelName, isModel));
  return builder.and(all);
}

/** Conditions of the times, inclusive. */
export function timeConditions(
  builder: ExpressionBuilder<Schema, "logs">,
  { start, end }: Pick<LogFilter, "start" | "end">,
): Expression<SqlBool> {
  const all: Expression<SqlBool>[] = [];
  if (start !== undefined) all.push(builder("logs.created_at", ">=", start));
  if (end !== undefined) all.push(builder("logs.created_at", "<=", end));
  return builder.and(all);
}
