/** Rows of what configuration files manage, in the caller's transaction: read, written, dropped, and the refusal of what is locked. */
import { MANAGED_KINDS, type ManagedKind, type ManagedMark } from "../../../contract/src/configuration/marks.ts";
import { AppError } from "../../../contract/src/errors.ts";
import type { Database } from "../db/database.ts";
import { type Queries, upsert } from "../db/portable.ts";

/** Names of one query; every engine takes more parameters. */
const AT_ONCE = 500;

/** The file that manages one thing. */
export interface Manager {
  name: string;
  targetId: number;
  managedBy: string;
  isLocked: boolean;
}

const kindOf = (text: string): ManagedKind => MANAGED_KINDS.find((kind) => kind === text) ?? "option";

/** All of one kind, by name. */
export async function managersOf(queries: Queries, kind: ManagedKind): Promise<ReadonlyMap<string, Manager>> {
  const rows = await queries.selectFrom("managed_things").selectAll().where("kind", "=", kind).execute();
  return new Map(
    rows.map(({ name, target_id, managed_by, is_locked }) => [
      name,
      { name, targetId: target_id, managedBy: managed_by, isLocked: is_locked === 1 },
    ]),
  );
}

/** The same for people, with who applied it last; by name. */
export async function marksOf(queries: Queries, kind: ManagedKind): Promise<ManagedMark[]> {
  const rows = await queries
    .selectFrom("managed_things")
    .leftJoin("users", "users.id", "managed_things.updated_by")
    .select(["kind", "name", "target_id", "managed_by", "is_locked", "updated_time", "users.username as updated_by"])
    .where("kind", "=", kind)
    .orderBy("name")
    .execute();
  return rows.map((row) => ({
    ...row,
    kind: kindOf(row.kind),
    is_locked: row.is_locked === 1,
    updated_by: row.updated_by ?? "",
  }));
}

interface NewMark {
  kind: ManagedKind;
  name: string;
  targetId: number;
}

/** Puts things under a mark, and gives those that have it the new time. */
export async function writeMarks(
  database: Database,
  queries: Queries,
  marks: readonly NewMark[],
  by: { managedBy: string; isLocked: boolean; nowSeconds: number; userId: number },
): Promise<void> {
  const change = {
    managed_by: by.managedBy,
    is_locked: by.isLocked ? (1 as const) : (0 as const),
    updated_time: by.nowSeconds,
    updated_by: by.userId,
  };
  for (const { kind, name, targetId } of marks) {
    const row = { ...change, target_id: targetId };
    await upsert(database, queries, "managed_things", { kind, name, ...row }, ["kind", "name"], row);
  }
}

/** Takes the marks of these names away. */
export async function dropMarks(queries: Queries, kind: ManagedKind, names: readonly string[]): Promise<void> {
  for (let start = 0; start < names.length; start += AT_ONCE)
    await queries
      .deleteFrom("managed_things")
      .where("kind", "=", kind)
      .where("name", "in", names.slice(start, start + AT_ONCE))
      .execute();
}

/** Takes the marks of channels or providers away that are deleted. */
export async function dropMarksOfTargets(
  queries: Queries,
  kind: "channel" | "provider",
  ids: readonly number[],
): Promise<void> {
  for (let start = 0; start < ids.length; start += AT_ONCE)
    await queries
      .deleteFrom("managed_things")
      .where("kind", "=", kind)
      .where("target_id", "in", ids.slice(start, start + AT_ONCE))
      .execute();
}

const locked = (queries: Queries, kind: ManagedKind) =>
  queries
    .selectFrom("managed_things")
    .select(["name", "target_id", "managed_by"])
    .where("kind", "=", kind)
    .where("is_locked", "=", 1);

const refusal = (name: string, managedBy: string, field?: string): AppError =>
  new AppError("managed_locked", {
    message: `"${name}" is managed by the configuration "${managedBy}", which locks it: change it in that file`,
    values: { name, configuration: managedBy },
    ...(field === undefined ? {} : { field }),
  });

/** Names of one kind that a file locks, with the file. */
export async function lockedNames(queries: Queries, kind: ManagedKind): Promise<ReadonlyMap<string, string>> {
  const rows = await locked(queries, kind).execute();
  return new Map(rows.map(({ name, managed_by }) => [name, managed_by]));
}

/** Throws AppError managed_locked for the first name that is locked. */
export function refuseLockedNames(
  lockedBy: ReadonlyMap<string, string>,
  names: Iterable<string>,
  fieldOf: (name: string) => string = (name) => name,
): void {
  for (const name of names) {
    const managedBy = lockedBy.get(name);
    if (managedBy !== undefined) throw refusal(name, managedBy, fieldOf(name));
  }
}

/** Throws AppError managed_locked where one of these channels or providers is locked. */
export async function refuseLockedTargets(
  queries: Queries,
  kind: "channel" | "provider",
  ids: readonly number[],
): Promise<void> {
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    const [first] = await locked(queries, kind)
      .where("target_id", "in", ids.slice(start, start + AT_ONCE))
      .limit(1)
      .execute();
    if (first !== undefined) throw refusal(first.name, first.managed_by);
  }
}

/** Whether a configuration file locks this channel. */
export const isLockedChannel = async (queries: Queries, id: number): Promise<boolean> =>
  (await locked(queries, "channel").where("target_id", "=", id).executeTakeFirst()) !== undefined;
