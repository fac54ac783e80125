/** Imports by the command line that are killed on their way, or run two at once, and what is compared after them: every row that an import writes. */
import { once } from "node:events";
import type { TestPlace } from "../databases/databases.ts";
import { startTurnpike } from "../systems/command-line.ts";
import type { TestLedger } from "../systems/site.ts";

type Environment = Readonly<Record<string, string>>;

/** What a command or server on this place is started with. */
export const environmentOf = ({ config }: TestPlace, more: Environment = {}): Environment => ({
  ALLOW_PRIVATE_UPSTREAMS: "1",
  GLOBAL_API_RATE_LIMIT_ENABLE: "false",
  DATA_DIR: config.dataDir,
  SECRET_KEY: config.secretKey ?? "",
  ...(config.databaseUrl === undefined ? {} : { DATABASE_URL: config.databaseUrl }),
  ...more,
});

const CONTENT = [
  "SELECT entry_id, kind, user_id, token_id, channel_id, quota_delta, token_quota_delta, used_delta, request_delta FROM ledger ORDER BY entry_id",
  "SELECT id, username, role, status, quota, used_quota, request_count, group_name FROM users ORDER BY id",
  "SELECT id, user_id, name, key_hash, status, remain_quota, used_quota, model_limits FROM tokens ORDER BY id",
  "SELECT id, type, name, key_hash, status, models, used_quota FROM channels ORDER BY id",
  "SELECT channel_id, key_hash, status FROM channel_keys ORDER BY channel_id, key_hash",
  "SELECT group_name, model, channel_id, enabled FROM abilities ORDER BY channel_id, group_name, model",
  "SELECT id, key_hash, status FROM redemptions ORDER BY id",
  "SELECT id, trade_no, status FROM top_ups ORDER BY id",
  "SELECT provider, subject, user_id FROM identities ORDER BY provider, subject",
  "SELECT kind, name_hash, number FROM import_numbers ORDER BY kind, number",
];

/** Every row that an import writes, without times and what is random or sealed. */
export async function importedContent(ledger: TestLedger): Promise<unknown> {
  const found = await Promise.all(CONTENT.map((query) => ledger.rows(query)));
  return found.map((rows) => rows.map((row) => Object.values(row).map(String).join("|")));
}

/** Runs `turnpike import` and kills it after so many milliseconds. @returns whether it was killed before its end */
async function killedAfter(env: Environment, words: readonly string[], afterMs: number): Promise<boolean> {
  const child = startTurnpike(env, "import", ...words);
  const timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
  const [, signal] = (await once(child, "exit")) as [number | null, string | null];
  clearTimeout(timer);
  return signal === "SIGKILL";
}

/**
 * Runs an import again and again, killed at random points of the time that a whole one takes.
 * @param wholeMs that time
 * @returns the points in milliseconds at which it was killed
 */
export async function importWithKills(env: Environment, words: readonly string[], wholeMs: number): Promise<number[]> {
  const killed: number[] = [];
  for (let run = 0; run < 4; run += 1) {
    // What was written before is found quickly: a later run gets further in the same time.
    const afterMs = Math.round(wholeMs * (0.3 + 0.6 * Math.random()));
    if (await killedAfter(env, words, afterMs)) killed.push(afterMs);
  }
  return killed;
}

/** Runs `turnpike import` and kills it as soon as it says a line with this. Throws with what it said where it ended before. */
export async function killImportWhen(env: Environment, words: readonly string[], said: string): Promise<void> {
  const child = startTurnpike(env, "import", ...words);
  let text = "";
  child.stderr?.on("data", (part: Buffer) => {
    text += part.toString();
    if (text.includes(said)) child.kill("SIGKILL");
  });
  const [, signal] = (await once(child, "exit")) as [number | null, string | null];
  if (signal !== "SIGKILL") throw new Error(`the import ended without "${said}": ${text}`);
}
