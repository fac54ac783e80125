/** The speed test times an answer of the address' origin, sends nothing that identifies its user, and has an end. */
import { expect, test } from "vitest";
import { measureAddress } from "./address-speed.ts";

test("the second request is timed, to the status of the origin, without cookies or a referrer", async () => {
  const asked: [string, RequestInit | undefined][] = [];
  let timeMs = 0;
  const fetch: typeof globalThis.fetch = (input, init) => {
    asked.push([String(input), init]);
    timeMs += asked.length === 1 ? 300 : 41.6;
    return Promise.resolve(Response.json({}));
  };
  expect(await measureAddress("https://api.example:8443/v1?a=b", { fetch, now: () => timeMs })).toBe(42);
  expect(asked.map(([url]) => url)).toEqual(Array.from({ length: 2 }, () => "https://api.example:8443/api/status"));
  for (const [, init] of asked) {
    expect(init).toMatchObject({ mode: "no-cors", credentials: "omit", referrerPolicy: "no-referrer", method: "HEAD" });
    expect(init?.signal).toBeInstanceOf(AbortSignal);
  }
});

test("an address that is not reached has no time", async () => {
  const fetch = () => Promise.reject(new TypeError("Failed to fetch"));
  expect(await measureAddress("https://api.example", { fetch, now: () => 0 })).toBeUndefined();
  expect(await measureAddress("nowhere", { fetch, now: () => 0 })).toBeUndefined();
});
