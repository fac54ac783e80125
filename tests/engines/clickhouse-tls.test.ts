/** Tests of a log on a ClickHouse over TLS with a private certificate: rows are delivered where its authority is named, and refused where it is not. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "../../server/src/db/database.ts";
import { migrate } from "../../server/src/db/migrations/migrate.ts";
import { createTestPlace, type TestPlace } from "../support/databases/databases.ts";
import { canStart, startTlsClickhouse, type TlsEngine } from "../support/databases/own-engines.ts";
import { environmentOf } from "../support/old-systems/killed-imports.ts";
import { makeCertificate } from "../support/systems/certificate.ts";
import { turnpike } from "../support/systems/command-line.ts";
import { startServer, until } from "../support/systems/processes.ts";
import { SAMPLE_ROWS } from "./columns.ts";

const ROWS = 700;

describe.skipIf(!canStart("clickhouse-server"))("a log on ClickHouse over TLS", () => {
  let clickhouse: TlsEngine;
  let place: TestPlace;
  let authorities: string;

  beforeAll(async () => {
    const certificate = makeCertificate();
    clickhouse = await startTlsClickhouse(certificate);
    place = await createTestPlace("sqlite");
    authorities = join(place.config.dataDir, "authorities.pem");
    await writeFile(authorities, certificate.cert);
    const main = await openDatabase(place.config);
    await migrate(main);
    const rows = Array.from({ length: ROWS }, (_, index) => ({ ...SAMPLE_ROWS.logs, request_id: `call-${index}` }));
    for (let from = 0; from < ROWS; from += 100)
      await main.kysely
        .insertInto("logs")
        .values(rows.slice(from, from + 100))
        .execute();
    await main.close();
  });
  afterAll(async () => {
    await place.remove();
    await clickhouse.remove();
  });

  /** What the plain interface says of the table. */
  const asked = async (statement: string): Promise<string> => {
    const answer = await fetch(`http://127.0.0.1:${new URL(clickhouse.url).port}/`, {
      method: "POST",
      body: statement,
    });
    return (await answer.text()).trim();
  };
  const envOf = (address: string, isTrusted: boolean) =>
    environmentOf(place, { LOG_DATABASE_URL: address, ...(isTrusted ? { NODE_EXTRA_CA_CERTS: authorities } : {}) });
  const addresses = () => [
    `https://default@127.0.0.1:${clickhouse.tlsPort}/default`,
    `clickhouse://default@localhost:${clickhouse.tlsPort}/default?secure=true`,
  ];

  test("a certificate whose authority is not named is refused, in one line", async () => {
    for (const address of addresses()) {
      const ran = await turnpike(envOf(address, false), "migrate");
      expect([ran.code, ran.out]).toEqual([1, ""]);
      expect(ran.complaint).toMatch(/The database at (?:127\.0\.0\.1|localhost):\d+ cannot be opened: .*certificate/);
    }
    expect(await asked("exists table logs")).toBe("0");
  });

  test("with its authority in NODE_EXTRA_CA_CERTS the table is made and every row delivered", async () => {
    for (const address of addresses())
      expect(await turnpike(envOf(address, true), "migrate")).toMatchObject({ code: 0 });
    expect(await asked("exists table logs")).toBe("1");
    const server = await startServer(envOf(addresses()[0] ?? "", true));
    try {
      await until(async () => (await asked("select count() from logs")) === String(ROWS), "the rows of the log");
    } finally {
      await server.end();
    }
    expect(await asked("select count(), uniqExact(request_id) from logs")).toBe(`${ROWS}\t${ROWS}`);
  });
});
