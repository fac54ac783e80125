/** Migration 20: access tokens of the console become rows, several a user, with names, scopes and expiries; and events that end sessions are counted. */
import type { LockedSession } from "../session.ts";
import { id, integer, text } from "./columns.ts";
import { addColumn, createTable } from "./steps.ts";
import type { Migration } from "./steps.ts";

/** Banned and deleted accounts get none. The old token had all rights of its owner, so the new one has the widest scope. */
const COPY = `INSERT INTO personal_access_tokens (user_id, name, token_hash, scope)
SELECT users.id, 'API (earlier)', users.access_token_hash, 'admin' FROM users
WHERE users.access_token_hash IS NOT NULL AND users.status = 1 AND users.deleted_at IS NULL
AND NOT EXISTS (SELECT 1 FROM personal_access_tokens AS known WHERE known.token_hash = users.access_token_hash)`;

/** The column itself stays, always empty: SQLite does not drop one that has a unique key. */
const EMPTY = "UPDATE users SET access_token_hash = NULL WHERE access_token_hash IS NOT NULL";

const statement = (name: string, sql: string) => ({ name, run: (session: LockedSession) => session.run(sql) });

export const accessTokens: Migration = {
  id: 20,
  name: "access-tokens",
  // Programs before it find no access token any more.
  minimumSchema: 20,
  steps: [
    addColumn("users", "sign_in_epoch", integer(0)),
    ...createTable({
      name: "personal_access_tokens",
      columns: {
        id: id(),
        user_id: integer(),
        name: text(64),
        token_hash: text(64),
        scope: text(16),
        created_time: integer(0),
        used_time: integer(0),
        expires_time: integer(0),
      },
      unique: [["token_hash"]],
      indexes: [["user_id"]],
    }),
    statement("copy access tokens", COPY),
    statement("empty users.access_token_hash", EMPTY),
  ],
};
