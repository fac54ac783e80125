/** Detects user names that look like an administrator's, by the confusable skeletons of Unicode UTS 39, section 4, without combining marks. */
import { readFileSync } from "node:fs";
import { AppError } from "../../../../contract/src/errors.ts";
import { foldName } from "../../../../contract/src/names.ts";
import { ROLE } from "../../../../contract/src/roles.ts";
import type { Queries } from "../../db/portable.ts";

/** Character to what a skeleton has in its place; read when the first name is compared. */
let confusables: ReadonlyMap<string, string> | undefined;

function readConfusables(): ReadonlyMap<string, string> {
  const lines = readFileSync(new URL("confusables.txt", import.meta.url), "utf8")
    .trimEnd()
    .split("\n");
  const pairs = lines.flatMap((line) => {
    const [skeleton = "", characters = ""] = line.split("\t");
    return [...characters].map((character) => [character, skeleton] as const);
  });
  return new Map(pairs);
}

/** The skeleton of the name: characters that look alike are one, marks above and below letters are left out. */
function skeletonOf(name: string): string {
  confusables ??= readConfusables();
  const table = confusables;
  const replaced = [...name.normalize("NFD")].map((character) => table.get(character) ?? character).join("");
  return replaced.normalize("NFD").replaceAll(/\p{M}|\p{Default_Ignorable_Code_Point}/gu, "");
}

/** As it is written, and in small letters: aIex looks like alex, RООT like root. */
const skeletonsOf = (name: string): readonly string[] =>
  [name.normalize("NFKC"), foldName(name)].flatMap((text) => {
    const skeleton = skeletonOf(text);
    return [skeleton, skeletonOf(skeleton.toLowerCase())];
  });

/** Whether people take one name for the other. */
export function lookAlike(one: string, other: string): boolean {
  const skeletons = new Set(skeletonsOf(one));
  return skeletonsOf(other).some((skeleton) => skeletons.has(skeleton));
}

/**
 * Refuses a name that looks like a living administrator's. In the transaction that writes the name: its writers stand in one line.
 * @param userId whose name it is to be; 0 for a new account
 * @throws AppError username_looks_like_administrator
 */
export async function refuseLookAlike(queries: Queries, username: string, userId = 0): Promise<void> {
  const administrators = await queries
    .selectFrom("users")
    .select("username")
    .where("role", ">=", ROLE.admin)
    .where("id", "!=", userId)
    .where("deleted_at", "is", null)
    .execute();
  if (administrators.some((administrator) => lookAlike(administrator.username, username)))
    throw new AppError("username_looks_like_administrator", { field: "username" });
}
