/** Numbers for LiteLLM rows with text ids: the first run assigns them, every later one finds them. */
import { createHash } from "node:crypto";
import { sql } from "kysely";
import { retryDeadlocks } from "../../db/portable.ts";
import { bumpVersion } from "../../db/versions.ts";
import type { Target } from "../target.ts";

export type NumberedKind = "user" | "token" | "channel";

/** The first super administrator has number 1. */
const FIRST_USER = 2;

const hashOf = (name: string): string => createHash("sha256").update(name).digest("hex");

export class Numbers {
  readonly #target: Target;
  /** Of a dry run, which writes none. */
  readonly #next = new Map<NumberedKind, number>();

  constructor(target: Target) {
    this.#target = target;
  }

  async #lastOf(queries: Target["database"]["kysely"], kind: NumberedKind): Promise<number> {
    const { rows } = await sql<{
      last: number | string | null;
    }>`SELECT MAX(number) AS last FROM import_numbers WHERE kind = ${kind}`.execute(queries);
    return Number(rows[0]?.last ?? (kind === "user" ? FIRST_USER - 1 : 0));
  }

  async #known(queries: Target["database"]["kysely"], kind: NumberedKind, hashes: readonly string[]) {
    const rows = await queries
      .selectFrom("import_numbers")
      .select(["name_hash", "number"])
      .where("kind", "=", kind)
      .where("name_hash", "in", [...hashes])
      .execute();
    return new Map(rows.map(({ name_hash, number }) => [name_hash, Number(number)]));
  }

  async #given(kind: NumberedKind, hashes: readonly string[]): Promise<Map<string, number>> {
    const { database, isDryRun } = this.#target;
    if (isDryRun) {
      const known = await this.#known(database.kysely, kind, hashes);
      let next = this.#next.get(kind) ?? (await this.#lastOf(database.kysely, kind)) + 1;
      for (const hash of hashes) if (!known.has(hash)) known.set(hash, next++);
      this.#next.set(kind, next);
      return known;
    }
    return retryDeadlocks(() =>
      database.kysely.transaction().execute(async (transaction) => {
        // Taken first: of two imports at once one waits here, and finds the numbers of the other.
        await bumpVersion(transaction, "tokens");
        const known = await this.#known(transaction, kind, hashes);
        const fresh = hashes.filter((hash) => !known.has(hash));
        if (fresh.length === 0) return known;
        const last = await this.#lastOf(transaction, kind);
        const rows = fresh.map((name_hash, index) => ({ kind, name_hash, number: last + 1 + index }));
        await transaction.insertInto("import_numbers").values(rows).execute();
        for (const { name_hash, number } of rows) known.set(name_hash, number);
        return known;
      }),
    );
  }

  /** Numbers of the rows of one page, by their names there. At most 2,000 at once, so that a statement stays within its parameters. */
  async of(kind: NumberedKind, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (names.length === 0) return new Map();
    const hashes = new Map(names.map((name) => [name, hashOf(name)]));
    const given = await this.#given(kind, [...new Set(hashes.values())]);
    return new Map([...hashes].map(([name, hash]) => [name, given.get(hash) ?? 0]));
  }
}
