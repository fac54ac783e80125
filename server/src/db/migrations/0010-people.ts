/** Migration 10: self-service accounts: folded user names, codes, other ways to sign in, second factors, notifications. */
import { foldName } from "../../../../contract/src/names.ts";
import type { Engine } from "../database.ts";
import { quoteText } from "../session.ts";
import type { LockedSession } from "../session.ts";
import { flag, id, integer, long, nullable, text, type TableDefinition } from "./columns.ts";
import { addColumn, createTable, createUniqueIndex } from "./steps.ts";
import type { Migration } from "./steps.ts";

const TABLES: readonly TableDefinition[] = [
  {
    name: "one_time_codes",
    columns: {
      purpose: text(32),
      subject: text(255),
      secret_hash: text(64),
      payload: long(),
      tries: integer(0),
      created_time: integer(),
      expires_time: integer(),
    },
    primaryKey: ["purpose", "subject"],
    indexes: [["expires_time"]],
  },
  {
    name: "guesses",
    columns: { bucket: text(128), failures: integer(0), last_time_ms: integer() },
    primaryKey: ["bucket"],
    indexes: [["last_time_ms"]],
  },
  {
    name: "known_networks",
    columns: { user_id: integer(), network: text(64), seen_time: integer() },
    primaryKey: ["user_id", "network"],
  },
  {
    name: "pending_rewards",
    columns: { user_id: integer(), gift: integer(), invitee: integer(), inviter_id: integer(), inviter: integer() },
    primaryKey: ["user_id"],
  },
  {
    name: "identity_providers",
    columns: {
      id: id(),
      slug: text(32),
      name: text(64),
      is_enabled: flag(1),
      client_id: text(255),
      client_secret_cipher: long(),
      endpoints: long(),
      created_time: integer(),
    },
    unique: [["slug"]],
  },
  {
    name: "identities",
    columns: {
      provider: text(64),
      subject: text(255),
      user_id: integer(),
      login: text(255, ""),
      created_time: integer(),
    },
    primaryKey: ["provider", "subject"],
    unique: [["user_id", "provider"]],
  },
  {
    name: "totp_factors",
    columns: {
      user_id: integer(),
      secret_cipher: long(),
      confirmed_time: integer(0),
      last_step: integer(0),
      created_time: integer(),
    },
    primaryKey: ["user_id"],
  },
  {
    name: "recovery_codes",
    columns: { user_id: integer(), code_hash: text(64), used_time: integer(0) },
    primaryKey: ["user_id", "code_hash"],
  },
  {
    name: "passkeys",
    columns: {
      credential_hash: text(64),
      credential_id: text(1400),
      user_id: integer(),
      name: text(64),
      public_key: long(),
      counter: integer(0),
      transports: text(128, ""),
      is_backed_up: flag(),
      created_time: integer(),
      used_time: integer(0),
    },
    primaryKey: ["credential_hash"],
    indexes: [["user_id"]],
  },
  {
    name: "outbox",
    columns: {
      id: id(),
      event: text(64),
      user_id: integer(),
      method: text(16),
      recipient: text(2048),
      language: text(8),
      values_cipher: long(),
      status: text(16),
      attempts: integer(0),
      next_time: integer(),
      created_time: integer(),
      sent_time: integer(0),
      failure: text(2048, ""),
      once_key: nullable(text(128)),
    },
    unique: [["once_key"]],
    indexes: [["status", "next_time"], ["user_id"]],
  },
];

/** Rows of one statement. */
const STEP = 500;

/** Names are user input: MySQL treats a backslash in them as an escape. */
const literal = (engine: Engine, name: string): string =>
  quoteText(engine === "mysql" ? name.replaceAll("\\", "\\\\") : name);

/** Assigns each folded name to its oldest account; later ones of the same folded name get no key and keep their exact names. */
async function foldNames(session: LockedSession, engine: Engine): Promise<void> {
  const taken = new Set<string>();
  for (const { username_key } of await session.all("SELECT username_key FROM users WHERE username_key IS NOT NULL"))
    taken.add(String(username_key));
  const rows = await session.all("SELECT id, username FROM users WHERE username_key IS NULL ORDER BY id");
  const free: { id: number; key: string }[] = [];
  for (const row of rows) {
    const key = foldName(String(row["username"]));
    if (taken.has(key)) continue;
    taken.add(key);
    free.push({ id: Number(row["id"]), key });
  }
  for (let start = 0; start < free.length; start += STEP) {
    const part = free.slice(start, start + STEP);
    const cases = part.map(({ id: userId, key }) => `WHEN ${userId} THEN ${literal(engine, key)}`).join(" ");
    const ids = part.map(({ id: userId }) => userId).join(", ");
    await session.run(`UPDATE users SET username_key = CASE id ${cases} END WHERE id IN (${ids})`);
  }
}

export const people: Migration = {
  id: 10,
  name: "people",
  steps: [
    addColumn("users", "username_key", nullable(text(255))),
    { name: "fold user names", run: foldNames },
    createUniqueIndex("users", ["username_key"]),
    addColumn("sessions", "way", text(64, "password")),
    ...TABLES.flatMap(createTable),
  ],
};
