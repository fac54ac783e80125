/** Databases of one-api and new-api as GORM makes them on each engine, for tests of the import: tables by release, and rows written by hand. */
import { DatabaseSync } from "node:sqlite";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Engine } from "../../../server/src/db/database.ts";
import { administer, databaseUrl, SERVERS } from "../databases/servers.ts";
import { makeDatabase, removeFromServer } from "../databases/templates.ts";

/** What a field of a Go struct is, by type and tag. */
type Kind =
  | "id"
  | "int"
  | "int32"
  | "bool"
  | "string"
  | "char48"
  | "char32"
  | "float"
  | "time"
  | "json"
  | "double"
  | "list"
  | "stamp";

const TYPES: Readonly<Record<Engine, Readonly<Record<Kind, string>>>> = {
  sqlite: {
    id: "integer PRIMARY KEY AUTOINCREMENT",
    int: "integer",
    int32: "int",
    bool: "numeric",
    string: "text",
    char48: "char(48)",
    char32: "char(32)",
    float: "real",
    time: "datetime",
    json: "json",
    double: "real",
    list: "text",
    stamp: "datetime",
  },
  postgres: {
    id: "bigserial PRIMARY KEY",
    int: "bigint",
    int32: "int",
    bool: "boolean",
    string: "text",
    char48: "char(48)",
    char32: "char(32)",
    float: "decimal",
    time: "timestamptz",
    json: "json",
    // Prisma's, of LiteLLM, which has PostgreSQL alone.
    double: "double precision",
    list: "text[]",
    stamp: "timestamp(3)",
  },
  mysql: {
    id: "bigint AUTO_INCREMENT PRIMARY KEY",
    int: "bigint",
    int32: "int",
    bool: "tinyint(1)",
    string: "longtext",
    char48: "char(48)",
    char32: "char(32)",
    float: "double",
    time: "datetime(3)",
    json: "json",
    double: "double",
    list: "longtext",
    stamp: "datetime(3)",
  },
};

/** Columns of each table with their kinds: `name:kind`, `int` where no kind stands. */
export type Tables = Readonly<Record<string, string>>;

export type Cell = string | number | boolean | null;
export type OldRows = Readonly<Record<string, readonly Readonly<Record<string, Cell>>[]>>;

const quoted = (engine: Engine, name: string): string => (engine === "mysql" ? `\`${name}\`` : `"${name}"`);

const columnsOf = (columns: string): [name: string, kind: Kind][] =>
  columns
    .trim()
    .split(/\s+/)
    .map((column) => {
      const [name = "", kind = "int"] = column.split(":");
      return [name, kind as Kind];
    });

function ddlOf(engine: Engine, table: string, columns: string): string {
  const all = columnsOf(columns).map(([name, kind]) => `${quoted(engine, name)} ${TYPES[engine][kind]}`);
  return `CREATE TABLE ${quoted(engine, table)} (${all.join(", ")})`;
}

function literal(engine: Engine, kind: Kind | undefined, value: Cell): string {
  if (value === null) return "NULL";
  if (typeof value === "boolean") return engine === "postgres" ? String(value) : value ? "1" : "0";
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : `'${value}'`;
  const text = `'${(engine === "mysql" ? value.replaceAll("\\", "\\\\") : value).replaceAll("'", "''")}'`;
  // The old program hands JSON to SQLite as bytes.
  return kind === "json" && engine === "sqlite" ? `CAST(${text} AS BLOB)` : text;
}

function insertsOf(engine: Engine, tables: Tables, rows: OldRows): string[] {
  return Object.entries(rows).flatMap(([table, all]) => {
    const kinds = new Map(columnsOf(tables[table] ?? ""));
    return all.map((row) => {
      const fields = Object.entries(row).filter(([name]) => kinds.has(name));
      const names = fields.map(([name]) => quoted(engine, name)).join(", ");
      const values = fields.map(([name, value]) => literal(engine, kinds.get(name), value)).join(", ");
      return `INSERT INTO ${quoted(engine, table)} (${names}) VALUES (${values})`;
    });
  });
}

export interface OldGateway {
  /** As `turnpike import` takes it. */
  address: string;
  /** Runs more statements on it. */
  run(...statements: readonly string[]): Promise<void>;
  /** Inserts more rows. */
  add(rows: OldRows): Promise<void>;
  remove(): Promise<void>;
}

async function onFile(): Promise<Omit<OldGateway, "add">> {
  const folder = await mkdtemp(join(tmpdir(), "turnpike-old-"));
  const address = join(folder, "one-api.db");
  const database = new DatabaseSync(address);
  database.exec("PRAGMA journal_mode = WAL");
  return {
    address: `${address}?_busy_timeout=30000`,
    async run(...statements) {
      for (const statement of statements) database.exec(statement);
    },
    async remove() {
      database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function onServer(engine: "postgres" | "mysql"): Promise<Omit<OldGateway, "add">> {
  const server = SERVERS[engine];
  const name = await makeDatabase(engine, server, true);
  const url = databaseUrl(server, name);
  const { username, password, hostname, port } = new URL(url);
  return {
    address:
      engine === "postgres"
        ? url
        : `${username}:${password}@tcp(${hostname}:${port || 3306})/${name}?charset=utf8mb4&parseTime=true`,
    run: async (...statements) => void (await administer(engine, url, ...statements)),
    remove: () => removeFromServer(engine, server, name),
  };
}

/** Makes a database of another gateway. */
export async function makeOldGateway(engine: Engine, tables: Tables, rows: OldRows): Promise<OldGateway> {
  const made = await (engine === "sqlite" ? onFile() : onServer(engine));
  await made.run(...Object.entries(tables).map(([table, columns]) => ddlOf(engine, table, columns)));
  const inserts = insertsOf(engine, tables, rows);
  if (inserts.length > 0) await made.run(...inserts);
  return { ...made, add: (more) => made.run(...insertsOf(engine, tables, more)) };
}

/** A table of the whole numbers `n` from 1, for rows that a server makes itself. */
export const numbersTo = (engine: Engine, count: number): string =>
  ({
    sqlite: `(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${count}) SELECT n FROM s)`,
    postgres: `generate_series(1::bigint, ${count}) AS s(n)`,
    // MariaDB's own.
    mysql: `(SELECT seq AS n FROM seq_1_to_${count}) AS s`,
  })[engine];

/** one-api v0.6.10. */
export const ONE_API: Tables = {
  users: `id:id username:string password:string display_name:string role:int32 status:int32 email:string github_id:string
    wechat_id:string lark_id:string oidc_id:string access_token:char32 quota used_quota request_count:int32 group:string
    aff_code:string inviter_id`,
  tokens: `id:id user_id key:char48 status name:string created_time accessed_time expired_time remain_quota unlimited_quota:bool
    used_quota models:string subnet:string`,
  channels: `id:id type key:string status name:string weight created_time test_time response_time base_url:string other:string
    balance:float balance_updated_time models:string group:string used_quota model_mapping:string priority config:string
    system_prompt:string`,
  options: "key:string value:string",
  redemptions: "id:id user_id key:char32 status name:string quota created_time redeemed_time",
  abilities: "group:string model:string channel_id enabled:bool priority",
  logs: "id:id user_id created_at type content:string quota",
};

/** new-api v1.0.0-rc.24, with the tables that an import reads and two that it does not. */
export const NEW_API: Tables = {
  users: `id:id username:string password:string display_name:string role:int32 status:int32 email:string github_id:string
    discord_id:string oidc_id:string wechat_id:string telegram_id:string access_token:char32 quota:int32 used_quota:int32
    request_count:int32 group:string aff_code:string aff_count:int32 aff_quota:int32 aff_history:int32 inviter_id deleted_at:time
    linux_do_id:string setting:string remark:string stripe_customer:string created_at last_login_at`,
  tokens: `id:id user_id key:string status name:string created_time accessed_time expired_time remain_quota unlimited_quota:bool
    model_limits_enabled:bool model_limits:string allow_ips:string used_quota group:string cross_group_retry:bool auto_groups:string
    deleted_at:time`,
  channels: `id:id type key:string open_ai_organization:string test_model:string status name:string weight created_time test_time
    response_time base_url:string other:string balance:float balance_updated_time models:string group:string used_quota
    model_mapping:string status_code_mapping:string priority auto_ban other_info:string tag:string setting:string
    param_override:string header_override:string remark:string channel_info:json settings:string`,
  options: "key:string value:string",
  redemptions: `id:id user_id key:char32 status name:string quota created_time redeemed_time used_user_id deleted_at:time expired_time`,
  top_ups: `id:id user_id amount money:float trade_no:string payment_method:string create_time complete_time status:string`,
  two_fas: "id:id user_id secret:string is_enabled:bool deleted_at:time",
  two_fa_backup_codes: "id:id user_id code_hash:string is_used:bool",
  passkey_credentials: "id:id user_id credential_id:string public_key:string sign_count",
  abilities: "group:string model:string channel_id enabled:bool priority",
  checkins: "id:id user_id quota_awarded",
  midjourneys: "id:id user_id prompt:string",
};
