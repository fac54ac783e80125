/** Callers that the route explainer can take: users and tokens by name or id, for administrators who see channels. */
import { CALLERS_LISTED_MAX, type RouteCallers } from "../../../../contract/src/features/routing.ts";
import type { Database } from "../../db/database.ts";
import { contains } from "../../db/portable.ts";

/** Ids have at most so many digits. */
const ID = /^\d{1,15}$/;

/** The search; blank texts match everybody. */
export interface CallersAsked {
  /** Part of a name, or a whole id. */
  keyword: string;
  /** User name of the tokens' owner. */
  user: string;
}

const idIn = (keyword: string): number => (ID.test(keyword) ? Number(keyword) : 0);

/** Users by part of their name or by id; those with the shortest names first, so that a name typed whole comes before what contains it. */
function findUsers(database: Database, { keyword }: CallersAsked) {
  return database.kysely
    .selectFrom("users")
    .select(["id", "username"])
    .where("deleted_at", "is", null)
    .where((builder) =>
      builder.or([contains(database, builder.ref("username"), keyword), builder("id", "=", idIn(keyword))]),
    )
    .orderBy(({ fn }) => fn<number>("length", ["username"]))
    .orderBy("id")
    .limit(CALLERS_LISTED_MAX)
    .execute();
}

/** Tokens by part of their name or by id, with their owner's name; never their keys. */
function findTokens(database: Database, { keyword, user }: CallersAsked) {
  const tokens = database.kysely
    .selectFrom("tokens")
    .innerJoin("users", "users.id", "tokens.user_id")
    .select(["tokens.id", "tokens.name", "users.username"])
    .where("tokens.deleted_at", "is", null)
    .where("users.deleted_at", "is", null)
    .where((builder) =>
      builder.or([contains(database, builder.ref("tokens.name"), keyword), builder("tokens.id", "=", idIn(keyword))]),
    );
  return (user === "" ? tokens : tokens.where("users.username", "=", user))
    .orderBy(({ fn }) => fn<number>("length", ["tokens.name"]))
    .orderBy("tokens.id")
    .limit(CALLERS_LISTED_MAX)
    .execute();
}

/** Users and tokens that a text names, at most CALLERS_LISTED_MAX of each. */
export async function callersFor(database: Database, asked: CallersAsked): Promise<RouteCallers> {
  const [users, tokens] = await Promise.all([findUsers(database, asked), findTokens(database, asked)]);
  return { users, tokens };
}
