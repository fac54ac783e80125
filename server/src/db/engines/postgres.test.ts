/** Tests of PostgreSQL connections: the startup parameters that connection poolers accept, and the settings in force afterwards. */
import { createServer, connect } from "node:net";
import type { AddressInfo } from "node:net";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { createTestPlace, enginesHere } from "../../../../tests/support/databases/databases.ts";
import { openPostgres } from "./postgres.ts";
import { TIME_LIMITS } from "./time-limits.ts";

const isHere = (await enginesHere()).includes("postgres");

/** The values of some settings on a connection to this address. */
async function settingsAt(url: string, names: readonly string[]): Promise<string[]> {
  const { kysely } = await openPostgres({
    url,
    poolSize: 2,
    limits: TIME_LIMITS,
    onConnectionLost: () => undefined,
  });
  try {
    const read = async (name: string) => {
      const { rows } = await sql.raw<Record<string, string>>(`show ${name}`).execute(kysely);
      return rows[0]?.[name] ?? "";
    };
    return await Promise.all(names.map(read));
  } finally {
    await kysely.destroy();
  }
}

describe.skipIf(!isHere)("a connection", () => {
  test("asks for nothing that a pooler refuses, and has its limits all the same", async () => {
    const { config, remove } = await createTestPlace("postgres");
    const target = new URL(config.databaseUrl ?? "");
    const openings: Buffer[] = [];
    const proxy = createServer((client) => {
      const server = connect(Number(target.port) || 5432, target.hostname);
      client.once("data", (opening: Buffer) => openings.push(opening));
      client.pipe(server).pipe(client);
      for (const socket of [client, server]) socket.on("error", () => socket.destroy());
    });
    await new Promise<void>((resolve) => void proxy.listen(0, "127.0.0.1", resolve));
    const url = new URL(target);
    url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const names = ["statement_timeout", "idle_in_transaction_session_timeout", "max_parallel_workers_per_gather"];
    expect(await settingsAt(url.href, names)).toEqual(["30s", "30s", "0"]);
    expect(openings.length).toBeGreaterThan(0);
    for (const opening of openings) {
      // Behind length and version: names and values, each with a zero behind it.
      const words = opening.subarray(8).toString("latin1").split("\0");
      const asked = words.filter((word, index) => index % 2 === 0 && word !== "");
      expect(["application_name", "client_encoding", "database", "user"]).toEqual(expect.arrayContaining(asked));
    }
    await new Promise((resolve) => proxy.close(resolve));
    await remove();
  });

  test("keeps to what its address says", async () => {
    const { config, remove } = await createTestPlace("postgres");
    const url = new URL(config.databaseUrl ?? "");
    url.searchParams.set("options", "-c max_parallel_workers_per_gather=1 -c statement_timeout=7s");
    expect(await settingsAt(url.href, ["max_parallel_workers_per_gather", "statement_timeout"])).toEqual(["1", "7s"]);
    await remove();
  });
});
