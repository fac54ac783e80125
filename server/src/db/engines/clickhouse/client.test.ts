/** ClickHouse's HTTP interface as it fails: each failure ends in time, says whether the server is away, and names neither login nor address. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { isAway } from "../../portable.ts";
import { createClickhouseClient, type ClickhouseClient } from "./client.ts";

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A client of a server that answers so. */
async function clientOf(answer: RequestListener, answerMs = 5_000): Promise<ClickhouseClient> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const client = createClickhouseClient({
    address: { origin: `http://127.0.0.1:${port}`, user: "anna", password: "pä'ss", database: "logs" },
    connections: 1,
    limits: { connectMs: 200, answerMs, questionMs: 1_000 },
  });
  ends.push(() => client.close());
  ends.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return client;
}

const failureOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => Promise.reject(new Error("it did not fail")),
    (error: unknown) => (error instanceof Error ? error : Promise.reject(new Error(String(error)))),
  );

test("the login is in headers alone, and integers of 64 bits are numbers", async () => {
  const seen: { url: string; user: unknown; key: unknown }[] = [];
  const client = await clientOf((request, response) => {
    const { url = "", headers } = request;
    seen.push({ url, user: headers["x-clickhouse-user"], key: headers["x-clickhouse-key"] });
    response.end(
      '{"meta":[{"name":"n","type":"UInt64"},{"name":"s","type":"String"}],"data":[["9007199254740991","1"]]}',
    );
  });
  expect(await client.select("select 1")).toEqual([{ n: 9_007_199_254_740_991, s: "1" }]);
  expect(seen[0]?.user).toBe("anna");
  expect(Buffer.from(String(seen[0]?.key), "latin1").toString("utf8")).toBe("pä'ss");
  expect(seen[0]?.url).toContain("database=logs");
  expect(seen[0]?.url).not.toMatch(/anna|ss/);
});

test("a number that JavaScript cannot hold is refused", async () => {
  const client = await clientOf((_request, response) =>
    response.end('{"meta":[{"name":"n","type":"Int64"}],"data":[["9007199254740993"]]}'),
  );
  expect((await failureOf(client.select("select 1"))).message).toContain("safe integers");
});

test("a refused statement has its number, and is no server that is away", async () => {
  const client = await clientOf((_request, response) => {
    response.writeHead(404).end(`Code: 60, e.displayText() = DB::Exception: ${"no such table ".repeat(100)}`);
  });
  const failure = await failureOf(client.select("select 1"));
  expect(failure).toMatchObject({ number: 60, code: "CLICKHOUSE_60" });
  expect(failure.message.length).toBeLessThan(300);
  expect(isAway(failure)).toBe(false);
});

test.each([
  ["a gateway without it", 502, "<html>Bad Gateway</html>"],
  ["too many statements at once", 500, "Code: 202. DB::Exception: Too many simultaneous queries"],
])("%s: it is away", async (_name, status, body) => {
  const client = await clientOf((_request, response) => response.writeHead(status).end(body));
  expect(isAway(await failureOf(client.run("select 1")))).toBe(true);
});

test("silence ends in time, for a request that waits for the connection too", async () => {
  const client = await clientOf(() => undefined, 300);
  const failures = await Promise.all([failureOf(client.run("select 1")), failureOf(client.run("select 2"))]);
  expect(failures.map(isAway)).toEqual([true, true]);
});

test("a connection that breaks off, and an answer that does, are failures", async () => {
  const broken = await clientOf((request) => void request.socket.destroy());
  expect(isAway(await failureOf(broken.run("select 1")))).toBe(true);
  const cut = await clientOf((_request, response) => {
    response.writeHead(200, { "Content-Length": "100" }).write('{"meta":[');
    response.socket?.end();
  });
  expect(isAway(await failureOf(cut.select("select 1")))).toBe(true);
});

test("nothing that listens: it is away", async () => {
  const client = createClickhouseClient({
    address: { origin: "http://127.0.0.1:1", user: "a", password: "b", database: "c" },
    connections: 1,
    limits: { connectMs: 200, answerMs: 300, questionMs: 300 },
  });
  expect(isAway(await failureOf(client.run("select 1")))).toBe(true);
  await client.close();
});
