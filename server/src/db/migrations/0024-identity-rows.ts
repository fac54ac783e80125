/** Migration 24: identities at the five built-in sites become rows of `identities`, as those of named providers are. The columns of users stay for one release. */
import type { LockedSession } from "../session.ts";
import { quoteText } from "../session.ts";
import type { Migration, Step } from "./steps.ts";

/** Each built-in way to sign in with its column of users, as of this migration. */
const COLUMNS = {
  github: "github_id",
  oidc: "oidc_id",
  linuxdo: "linux_do_id",
  wechat: "wechat_id",
  telegram: "telegram_id",
} as const;

/** Users of one statement. */
const CHUNK = 500;

/** Runs a statement for each chunk of users, by the first and last id of it. @returns the last id of all */
async function inChunks(session: LockedSession, statement: (from: number, last: number) => string): Promise<number> {
  let from = 0;
  for (;;) {
    const chunk = `SELECT id FROM users WHERE id > ${from} ORDER BY id LIMIT ${CHUNK}`;
    const [row] = await session.all(`SELECT MAX(id) AS last_id FROM (${chunk}) chunk`);
    const last = Number(row?.["last_id"] ?? 0);
    if (last === 0) return from;
    await session.run(statement(from, last));
    from = last;
  }
}

/**
 * Rows of built-in ways had only the login names, so the column decides: a differing row is deleted. Each part can be repeated
 * without effect after a kill.
 */
function copyColumn(way: string, column: string): Step {
  const provider = quoteText(way);
  const removeOthers = (range: string) =>
    `DELETE FROM identities WHERE provider = ${provider} AND ${range} AND NOT EXISTS ` +
    `(SELECT 1 FROM users WHERE users.id = identities.user_id AND users.${column} = identities.subject)`;
  const addMissing = (range: string) =>
    "INSERT INTO identities (provider, subject, user_id, login, created_time) " +
    `SELECT ${provider}, users.${column}, users.id, '', users.created_time FROM users WHERE ${range} ` +
    `AND users.${column} <> '' AND NOT EXISTS ` +
    `(SELECT 1 FROM identities WHERE identities.provider = ${provider} AND identities.user_id = users.id)`;
  const run = async (session: LockedSession) => {
    // All of them first: the id in an earlier user's column may be in a later user's row, which is deleted.
    const end = await inChunks(session, (from, last) =>
      removeOthers(`identities.user_id > ${from} AND identities.user_id <= ${last}`),
    );
    await session.run(removeOthers(`identities.user_id > ${end}`));
    await inChunks(session, (from, last) => addMissing(`users.id > ${from} AND users.id <= ${last}`));
  };
  return { name: `copy users.${column} to identities`, run };
}

export const identityRows: Migration = {
  id: 24,
  name: "identity-rows",
  steps: Object.entries(COLUMNS).map(([way, column]) => copyColumn(way, column)),
};
