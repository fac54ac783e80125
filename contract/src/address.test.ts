/** Address parsing agrees with Node's own `isIP` on what is an address. */
import fc from "fast-check";
import { isIP } from "node:net";
import { expect, test } from "vitest";
import { isAddressOrRange, isLoopbackHost } from "./address.ts";
import { runs } from "../../tests/support/soak/short-or-long.ts";

test.each([
  "10.0.0.1",
  "203.0.113.0/24",
  "::",
  "::1",
  "2001:db8::/32",
  "::ffff:10.0.0.1",
  "1:2:3:4:5:6:7:8",
  "fe80::1/128",
  "0.0.0.0/0",
])("%s is good", (text) => {
  expect(isAddressOrRange(text)).toBe(true);
});

test.each([
  "",
  "10.0.0",
  "10.0.0.256",
  "10.0.0.01",
  "10.0.0.1/33",
  "10.0.0.1/",
  "10.0.0.1/8/8",
  "::/129",
  "1::2::3",
  ":::",
  "1:2:3:4:5:6:7",
  "1:2:3:4:5:6:7:8:9",
  "example.com",
  "::10.0.0.1:1",
  "10.0.0.1-10.0.0.9",
])("'%s' is refused", (text) => {
  expect(isAddressOrRange(text)).toBe(false);
});

test("it agrees with node:net on addresses and on near misses", () => {
  const near = fc
    .array(fc.constantFrom("0", "1", "25", "255", "256", "ff", "ffff", "g", ":", "::", "."), { maxLength: 16 })
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), near), (text) => {
      expect(isAddressOrRange(text)).toBe(isIP(text) !== 0);
    }),
    { numRuns: runs(1_000) },
  );
});

test.each([
  ["localhost", true],
  ["127.0.0.1", true],
  ["127.8.0.1", true],
  ["::1", true],
  ["127.evil.example", false],
  ["smtp.example", false],
  ["10.0.0.1", false],
])("%s is this machine alone: %s", (host, isLocal) => expect(isLoopbackHost(host)).toBe(isLocal));
