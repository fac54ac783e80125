/** Tests of the verdict on sockets: one disturbed round decides nothing, a busy machine gives no verdict on times, and missed targets are reported. */
import { expect, it } from "vitest";
import { type Round, type SocketFindings, socketsSection, verdictOf } from "./report.ts";

const CALLS = 100;
const round = (httpMs: number, addedMs: number): Round => ({
  httpMs: Array.from({ length: CALLS }, () => httpMs),
  socketMs: Array.from({ length: CALLS }, () => httpMs + addedMs),
});
const FINE: SocketFindings = {
  sockets: CALLS,
  wantedRounds: 3,
  rounds: [round(8, 1), round(9, 2), round(8, 1)],
  idleBytes: { resident: 6000, heap: 6000 },
  keptBytes: { resident: 7000, heap: 7000 },
  failures: {},
  wrongValues: 0,
};

it("is met where the middle round keeps the limit, whatever another one met", () => {
  expect(verdictOf(FINE)).toBe("met");
  expect(verdictOf({ ...FINE, rounds: [round(8, 1), round(300, 90), round(8, 1)] })).toBe("met");
  const section = socketsSection(FINE, []);
  expect(section).toContain("300 calls over them");
  expect(section).toContain("**Every limit is met.**");
  expect(section).toMatch(/added by a socket, p99 \| <= 5 ms \| 1\.00 ms \| met/);
});

it("is missed by a p99 beyond the limit, a socket that holds too much, a call without an answer and a wrong ledger", () => {
  expect(verdictOf({ ...FINE, rounds: [round(8, 6), round(8, 6), round(8, 1)] })).toBe("missed");
  expect(verdictOf({ ...FINE, idleBytes: { resident: 50_000, heap: 6000 } })).toBe("missed");
  expect(verdictOf({ ...FINE, failures: { "no end in time": 1 } })).toBe("missed");
  expect(verdictOf({ ...FINE, wrongValues: 1 })).toBe("missed");
});

it("is none on times where the machine had other work or made too few calls, and says so", () => {
  const busy = { ...FINE, rounds: [round(180, 9), round(190, 1), round(170, 1)] };
  expect(verdictOf(busy)).toBe("none");
  expect(socketsSection(busy, [])).toContain("p99 over plain HTTP is 180 ms, more than 40");
  const short = { ...FINE, rounds: FINE.rounds.slice(1) };
  expect(verdictOf(short)).toBe("none");
  expect(socketsSection(short, [])).toContain("200 of 300 calls were made");
  expect(verdictOf({ ...busy, failures: { "no end in time": 1 } })).toBe("missed");
});
