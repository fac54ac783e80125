/** The database servers that tests may use here, and statements on them outside any test database. */
import { connect } from "node:net";
import mysql from "mysql2/promise";
import pg from "pg";
import type { Engine } from "../../../server/src/db/database.ts";

export type ServerEngine = Exclude<Engine, "sqlite">;

/** Where tests make their databases; the account must be allowed to create some. */
export const SERVERS: Record<ServerEngine, string> = {
  postgres: process.env["TEST_POSTGRES_URL"] ?? "postgres://postgres@127.0.0.1:5432/postgres",
  mysql: process.env["TEST_MYSQL_URL"] ?? "mysql://root@127.0.0.1:3306/",
};

const USUAL_PORTS: Record<string, number> = { "postgres:": 5432, "postgresql:": 5432, "mysql:": 3306 };

/** Whether something listens where the address says. */
export function isReachable(url: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname,
      port: port === "" ? (USUAL_PORTS[protocol] ?? 0) : Number(port),
      timeout: 2000,
    });
    const end = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
    socket.once("timeout", () => end(false));
  });
}

/** Runs statements on the server itself, outside any test database. Gives the rows of the last one. */
export async function administer(
  engine: ServerEngine,
  serverUrl: string,
  ...statements: readonly string[]
): Promise<readonly Record<string, unknown>[]> {
  if (engine === "postgres") {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    const run = async () => {
      let rows: Record<string, unknown>[] = [];
      for (const statement of statements) ({ rows } = await client.query<Record<string, unknown>>(statement));
      return rows;
    };
    return run().finally(() => client.end());
  }
  const connection = await mysql.createConnection({ uri: serverUrl, multipleStatements: true });
  const run = async () => {
    // All in one message: a database has a hundred statements, which would wait for each other's answers.
    const [answers] = await connection.query<mysql.RowDataPacket[] | mysql.ResultSetHeader>(statements.join(";\n"));
    const last: unknown = statements.length > 1 && Array.isArray(answers) ? answers.at(-1) : answers;
    return Array.isArray(last) ? (last as readonly Record<string, unknown>[]) : [];
  };
  return run().finally(() => connection.end());
}

/** The address of a database on a server. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
