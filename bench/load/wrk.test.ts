/** wrk's report is parsed completely, failures included. */
import { expect, test } from "vitest";
import { luaScript, parseWrk } from "./wrk.ts";

const REPORT = `Running 2s test @ http://127.0.0.1:4000/
  1 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     3.10ms    1.04ms  21.20ms   88.05%
    Req/Sec    20.71k     1.46k   22.97k    80.00%
  41240 requests in 2.01s, 40.27MB read
`;

test("a clean report has no failures", () => {
  expect(parseWrk(`${REPORT}Requests/sec:  20529.90\n`)).toEqual({
    calls: 41240,
    failures: 0,
    callsPerSecond: 20529.9,
  });
});

test("refused answers and broken connections are failures", () => {
  const broken = `${REPORT}  Socket errors: connect 1, read 2, write 3, timeout 4\n  Non-2xx or 3xx responses: 7\nRequests/sec:  20529.90\n`;
  expect(parseWrk(broken).failures).toBe(17);
});

test("a report without a result is an error, not a zero", () => {
  expect(() => parseWrk("unable to connect")).toThrow("no result");
});

test("callers with keys of their own are called in rotation", () => {
  const headers = { authorization: "Bearer sk-1" };
  expect(luaScript({ headers })).not.toContain("request = function");
  const script = luaScript({ headers, keys: ["sk-1", "sk-2"] });
  expect(script).toContain('local keys = {"sk-1", "sk-2"}');
  expect(script).toContain("turn = turn % #requests + 1");
});
