/** LiteLLM's rows in the tables and columns of new-api, in a database of this process's own without a file name, so that one import serves all. */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Source } from "../source.ts";
import { sourceIn } from "../source.ts";

/** Columns of what is staged. */
const COLUMNS = {
  users: "username display_name password role status email quota used_quota group created_at",
  tokens: `user_id key key_is_sha256 key_end status name created_time accessed_time expired_time remain_quota unlimited_quota used_quota
    model_limits_enabled model_limits`,
  channels: `type key name status weight priority created_time base_url other models group model_mapping used_quota
    open_ai_organization left_reason`,
} as const;

export type StagedTable = keyof typeof COLUMNS;
export type StagedCells = Readonly<Record<string, string | number | bigint | null>> & { id: number };

const columnsOf = (table: StagedTable): readonly string[] => ["id", ...COLUMNS[table].trim().split(/\s+/)];

export class Staging {
  readonly #database: DatabaseSync;
  readonly #inserts = new Map<StagedTable, StatementSync>();
  readonly #keep: StatementSync;
  readonly #recall: StatementSync;
  #byKey: StatementSync | undefined;

  constructor() {
    // Without a name SQLite keeps it in memory and, where it grows, in a file that is removed as it is made.
    this.#database = new DatabaseSync("");
    this.#database.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
    for (const table of Object.keys(COLUMNS) as StagedTable[]) {
      const [, ...columns] = columnsOf(table);
      this.#database.exec(
        `CREATE TABLE ${table} (id INTEGER PRIMARY KEY, ${columns.map((column) => `"${column}"`).join(", ")})`,
      );
    }
    this.#database.exec("CREATE INDEX tokens_of_users ON tokens (user_id); CREATE INDEX tokens_by_key ON tokens (key)");
    this.#database.exec("CREATE TEMP TABLE numbers (name TEXT PRIMARY KEY, id INTEGER NOT NULL) WITHOUT ROWID");
    this.#database.exec("CREATE TEMP TABLE without_budget (id INTEGER PRIMARY KEY)");
    this.#keep = this.#database.prepare("INSERT INTO numbers (name, id) VALUES (?, ?)");
    this.#recall = this.#database.prepare("SELECT id FROM numbers WHERE name = ?");
    this.#database.exec("BEGIN");
  }

  add(table: StagedTable, cells: StagedCells): void {
    const columns = columnsOf(table);
    const insert = this.#inserts.getOrInsertComputed(table, () =>
      this.#database.prepare(
        `INSERT INTO ${table} (${columns.map((column) => `"${column}"`).join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
      ),
    );
    insert.run(...columns.map((column) => cells[column] ?? null));
  }

  /** Keeps a number for what names the thing by its text there. @param name unique among all kinds */
  remember(name: string, id: number): void {
    this.#keep.run(name, id);
  }

  numberOf(name: string): number | undefined {
    const id = this.#recall.get(name)?.["id"];
    return id === undefined ? undefined : Number(id);
  }

  /** Notes a user whose balance nothing bounds. */
  noteWithoutBudget(id: number): void {
    this.#database.prepare("INSERT INTO without_budget (id) VALUES (?)").run(id);
  }

  /**
   * Users without a budget get what their limited tokens may spend; those with a token that nothing limits, `unlimited`.
   * @param unlimited in quota
   * @returns how many of each kind
   */
  balanceWithoutBudget(unlimited: bigint): { byTokens: number; unlimited: readonly number[] } {
    const rows = this.#database
      .prepare(
        `SELECT w.id AS id, COALESCE(MAX(t.unlimited_quota), 0) AS is_open, COALESCE(SUM(MAX(t.remain_quota, 0)), 0) AS left
        FROM without_budget w LEFT JOIN tokens t ON t.user_id = w.id GROUP BY w.id`,
      )
      .all();
    const update = this.#database.prepare("UPDATE users SET quota = ? WHERE id = ?");
    const open: number[] = [];
    for (const row of rows) {
      const [id, isOpen] = [Number(row["id"]), Number(row["is_open"]) === 1];
      update.run(isOpen ? unlimited : BigInt(Number(row["left"])), id);
      if (isOpen) open.push(id);
    }
    return { byTokens: rows.length - open.length, unlimited: open };
  }

  /** What a user used is what his tokens used, where LiteLLM has no sum of its own. */
  setUsedByTokens(id: number): void {
    this.#database
      .prepare(
        "UPDATE users SET used_quota = (SELECT COALESCE(SUM(used_quota), 0) FROM tokens WHERE user_id = ?) WHERE id = ?",
      )
      .run(id, id);
  }

  /** Numbers and names of the token with this SHA-256 and of its owner. */
  tokenByKey(sha256: string): { id: number; userId: number; name: string; username: string } | undefined {
    this.#byKey ??= this.#database.prepare(
      `SELECT t.id AS id, t.user_id AS user_id, t.name AS name, u.username AS username
      FROM tokens t JOIN users u ON u.id = t.user_id WHERE t.key = ?`,
    );
    const row = this.#byKey.get(sha256);
    if (row === undefined) return undefined;
    return {
      id: Number(row["id"]),
      userId: Number(row["user_id"]),
      name: String(row["name"] ?? ""),
      username: String(row["username"] ?? ""),
    };
  }

  /** Ends the staging. */
  toSource(): Promise<Source> {
    this.#database.exec("COMMIT");
    return sourceIn(this.#database);
  }

  close(): void {
    this.#database.close();
  }
}
