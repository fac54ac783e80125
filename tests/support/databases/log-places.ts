/** Empty databases for a log of its own: on the servers that all tests share, and on a ClickHouse that the test file starts. */
import type { LogEngine } from "../../../server/src/db/database.ts";
import { createTestPlace } from "./databases.ts";
import { startFakeClickhouse } from "./fake-clickhouse.ts";
import { testDatabaseName } from "./left-overs.ts";
import { canStart, startClickhouse } from "./own-engines.ts";

export interface LogPlace {
  /** For LOG_DATABASE_URL. */
  url: string;
  remove(): Promise<void>;
}

/** An empty database of its own on a ClickHouse of its own; where none is installed, what plays its HTTP interface. */
async function createOnClickhouse(): Promise<LogPlace> {
  const isPlayed = process.env["TEST_CLICKHOUSE"] === "fake" || !canStart("clickhouse-server");
  const server = isPlayed ? await startFakeClickhouse() : await startClickhouse();
  const url = new URL(server.url);
  url.pathname = `/${testDatabaseName("test")}`;
  const answer = await fetch(`http://${url.host}/`, {
    method: "POST",
    body: `create database ${url.pathname.slice(1)}`,
  });
  if (!answer.ok) throw new Error(await answer.text());
  return { url: url.href, remove: () => server.remove() };
}

/** @param engine of the log; SQLite holds none but its own */
export async function createLogPlace(engine: Exclude<LogEngine, "sqlite">): Promise<LogPlace> {
  if (engine === "clickhouse") return createOnClickhouse();
  const place = await createTestPlace(engine, { isEmpty: true });
  return { url: place.config.databaseUrl ?? "", remove: () => place.remove() };
}
