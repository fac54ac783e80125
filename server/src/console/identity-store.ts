/** Queries of identities: the link between an account and its id at another site, at most one account for each id and one id for each account and site. */
import type { Selectable } from "kysely";
import { type SubjectField, SUBJECT_FIELDS } from "../../../contract/src/ways-in.ts";
import type { IdentityTable } from "../db/user-tables.ts";
import { affectedRows } from "../db/portable.ts";
import type { Queries } from "../db/portable.ts";

/** The field of users' answers by way; for one release it is a column of users too. */
const FIELD_OF: ReadonlyMap<string, SubjectField> = new Map(Object.entries(SUBJECT_FIELDS));

const ACCOUNT = [
  "id",
  "username",
  "display_name",
  "role",
  "status",
  "group_name",
  "email",
  "deleted_at",
  "sign_in_epoch",
] as const;

/** The account that has this identity, deregistered ones too; undefined where none has. */
export const findOwner = (queries: Queries, way: string, subject: string) =>
  queries
    .selectFrom("users")
    .innerJoin("identities", "identities.user_id", "users.id")
    .select(ACCOUNT.map((name) => `users.${name}` as const))
    .where("identities.provider", "=", way)
    .where("identities.subject", "=", subject)
    .executeTakeFirst();
export type Owner = NonNullable<Awaited<ReturnType<typeof findOwner>>>;

/** E-mail and password of a living account; undefined where it is gone. */
export const findUser = (queries: Queries, userId: number) =>
  queries
    .selectFrom("users")
    .select(["id", "email", "password_hash"])
    .where("id", "=", userId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();

export type IdentityRow = Selectable<IdentityTable>;

/** Of one account, in no sequence. */
export const identitiesOf = (queries: Queries, userId: number): Promise<IdentityRow[]> =>
  queries.selectFrom("identities").selectAll().where("user_id", "=", userId).execute();

/** Throws the driver's unique violation where an account has the identity, or this one has another of the site. */
export async function insertIdentity(queries: Queries, row: IdentityRow): Promise<void> {
  await queries.insertInto("identities").values(row).execute();
  await writeFormerColumn(queries, row.user_id, row.provider, row.subject);
}

/** Keeps what a person is called there now. */
export async function writeLogin(
  queries: Queries,
  { provider, subject, login }: Pick<IdentityRow, "provider" | "subject" | "login">,
): Promise<void> {
  await queries
    .updateTable("identities")
    .set({ login })
    .where("provider", "=", provider)
    .where("subject", "=", subject)
    .execute();
}

/** Gives an identity the subject that it has from now on; nothing where another call was quicker. */
export async function replaceSubject(
  queries: Queries,
  { user_id, provider, subject }: Pick<IdentityRow, "user_id" | "provider" | "subject">,
  next: string,
): Promise<void> {
  const result = await queries
    .updateTable("identities")
    .set({ subject: next })
    .where("provider", "=", provider)
    .where("subject", "=", subject)
    .where("user_id", "=", user_id)
    .executeTakeFirstOrThrow();
  if (affectedRows(result) === 1) await writeFormerColumn(queries, user_id, provider, next);
}

export async function deleteIdentity(queries: Queries, userId: number, provider: string): Promise<void> {
  await queries.deleteFrom("identities").where("user_id", "=", userId).where("provider", "=", provider).execute();
  await writeFormerColumn(queries, userId, provider, null);
}

/** For one release: the column of users that the version before reads. */
async function writeFormerColumn(queries: Queries, userId: number, way: string, subject: string | null): Promise<void> {
  const column = FIELD_OF.get(way);
  if (column === undefined) return;
  await queries
    .updateTable("users")
    .set({ [column]: subject })
    .where("id", "=", userId)
    .execute();
}

/** Fields of users' answers that say who they are at other sites; "" where no account is bound. */
export type Subjects = Readonly<Record<SubjectField, string>>;

export const NO_SUBJECTS: Subjects = { github_id: "", oidc_id: "", wechat_id: "", telegram_id: "", linux_do_id: "" };

/** @returns a function that gives the fields of one of these users */
export async function subjectsOf(queries: Queries, userIds: readonly number[]): Promise<(userId: number) => Subjects> {
  if (userIds.length === 0) return () => NO_SUBJECTS;
  const rows = await queries
    .selectFrom("identities")
    .select(["user_id", "provider", "subject"])
    .where("user_id", "in", userIds)
    .execute();
  const ofUser = Map.groupBy(rows, ({ user_id }) => user_id);
  return (userId) => {
    const entries = (ofUser.get(userId) ?? []).flatMap(({ provider, subject }) => {
      const field = FIELD_OF.get(provider);
      return field === undefined ? [] : [[field, subject] as const];
    });
    return { ...NO_SUBJECTS, ...Object.fromEntries(entries) };
  };
}

/** The named OpenID providers that are on, as visitors may know them, in the order in which they were made. */
export const enabledProviders = ({ kysely }: { kysely: Queries }): Promise<{ slug: string; name: string }[]> =>
  kysely.selectFrom("identity_providers").select(["slug", "name"]).where("is_enabled", "=", 1).orderBy("id").execute();
