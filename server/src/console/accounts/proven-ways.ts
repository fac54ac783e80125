/** Ways to sign in that administrators have used successfully, checked before password login may be disabled, so that no administrator is locked out. */
import type { OptionValues } from "../../../../contract/src/options/options.ts";
import { WAYS, isBuiltInWay } from "../../../../contract/src/ways-in.ts";
import type { Database } from "../../db/database.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { enabledProviders } from "../identity-store.ts";
import { workingWayFact } from "./sign-in.ts";

/**
 * Names of the proven ways, the password left out: built-in ones whether they are on or not, `passkey`, and the slugs of named
 * providers that are on.
 */
export async function provenWays(database: Database): Promise<ReadonlySet<string>> {
  const prefix = workingWayFact("");
  const facts = await database.kysely.selectFrom("facts").select("name").where("name", "like", `${prefix}%`).execute();
  const slugs = new Set((await enabledProviders(database)).map(({ slug }) => slug));
  const ways = facts.map(({ name }) => name.slice(prefix.length));
  return new Set(ways.filter((way) => isBuiltInWay(way) || way === "passkey" || slugs.has(way)));
}

const isOn = (options: OptionValues, way: string): boolean => !isBuiltInWay(way) || options[WAYS[way].option];

/** True where the password is off and `way` is the one proven way in that is on. */
export async function isOnlyProvenWay(
  { database, snapshot }: Pick<ConsoleContext, "database" | "snapshot">,
  way: string,
): Promise<boolean> {
  if (snapshot.options.PasswordLoginEnabled) return false;
  const ways = await provenWays(database);
  return ways.has(way) && ![...ways].some((other) => other !== way && isOn(snapshot.options, other));
}
