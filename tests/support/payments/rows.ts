/** For tests of payments: a user's rows in the database. */
import type { Caller, TestConsole } from "../systems/console.ts";

type Site = Pick<TestConsole, "foundation">;
type Who = Pick<Caller, "userId">;

/** In quota. */
export async function balanceOf({ foundation: { database } }: Site, { userId }: Who): Promise<number> {
  const rows = database.kysely.selectFrom("users").select("quota").where("id", "=", userId);
  return (await rows.executeTakeFirstOrThrow()).quota;
}

export const logsOf = ({ foundation: { database } }: Site, { userId }: Who) =>
  database.kysely.selectFrom("logs").selectAll().where("user_id", "=", userId).execute();

/** When these people confirmed last who they are, in Unix seconds. */
export const confirm = ({ foundation: { database } }: Site, people: readonly Who[], confirmed_time: number) =>
  database.kysely
    .updateTable("sessions")
    .set({ confirmed_time })
    .where(
      "user_id",
      "in",
      people.map(({ userId }) => userId),
    )
    .execute();
