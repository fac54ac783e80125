/** Tests of address lists: ranges of both IP versions, and a list whose entries are all unreadable admits no address. */
import { expect, test } from "vitest";
import { parseAddressList } from "./rows.ts";

test.each([
  ["10.0.0.0/8", "10.1.2.3", true],
  ["10.0.0.0/8", "11.0.0.1", false],
  ["192.0.2.7", "192.0.2.7", true],
  ["192.0.2.7", "192.0.2.8", false],
  ["192.0.2.7", "::ffff:192.0.2.7", true],
  ["192.0.2.7", "::ffff:c000:207", true],
  ["::ffff:10.0.0.0/104", "10.9.9.9", true],
  ["::ffff:10.0.0.0/104", "11.9.9.9", false],
  ["::ffff:192.0.2.7", "192.0.2.7", true],
  ["2001:db8::/32", "2001:db8:1::5", true],
  ["2001:db8::/32", "2001:db9::5", false],
  ["2001:DB8::1", "2001:db8:0:0::1", true],
  ["fe80::/10", "fe80::1%eth0", true],
  ["0.0.0.0/0", "203.0.113.9", true],
  ["0.0.0.0/0", "2001:db8::1", false],
  ["::/0", "2001:db8::1", true],
  ["::/0", "203.0.113.9", true],
  ["192.0.2.128/25", "192.0.2.128", true],
  ["192.0.2.128/25", "192.0.2.127", false],
  ["192.0.2.4/31", "192.0.2.5", true],
  ["192.0.2.4/31", "192.0.2.6", false],
  ["10.9.9.9/8", "10.1.1.1", true],
  ["2001:db8::/33", "2001:db8:8000::1", false],
  ["not an address\n192.0.2.7", "192.0.2.7", true],
  ["192.0.2.1, 192.0.2.7", "192.0.2.7", true],
])("%s and %s: %s", (list, address, expected) => expect(parseAddressList(list)?.(address)).toBe(expected));

test.each([
  "nonsense",
  "10.0.0.0/33",
  "10.0.0.0/",
  "10.0.0/8",
  "010.0.0.1",
  "0x7f.1",
  "::/129",
  "10.0.0.0/8/8",
  "10.0.0.1-10.0.0.9",
  "*",
])("a list of only %s admits no address", (list) => {
  const isAllowed = parseAddressList(list);
  expect(isAllowed).toBeDefined();
  for (const address of ["127.0.0.1", "10.0.0.1", "0.0.0.0", "::1", "8.0.0.1"])
    expect(isAllowed?.(address)).toBe(false);
});

test.each(["", "unknown", "10.0.0.1/8", "10.0.0.1, 10.0.0.2", "999.1.1.1"])(
  "a caller whose address is %j is admitted by no list",
  (address) => expect(parseAddressList("0.0.0.0/0\n::/0")?.(address)).toBe(false),
);

test("a list without entries is no list", () =>
  expect([parseAddressList(""), parseAddressList(" \n , ")]).toEqual([undefined, undefined]));
