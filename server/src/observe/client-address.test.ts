/** Tests of client networks: neighbouring addresses share one, distant ones do not, and spellings of one address are equal. */
import { describe, expect, test } from "vitest";
import { clientNetwork, limitedNetwork } from "./client-address.ts";

describe("the network of an address", () => {
  test.each([
    ["203.0.113.7", "203.0.113.0/24", "203.0.113.7/32"],
    ["203.0.113.254", "203.0.113.0/24", "203.0.113.254/32"],
    ["::ffff:203.0.113.7", "203.0.113.0/24", "203.0.113.7/32"],
    ["::ffff:cb00:7107", "203.0.113.0/24", "203.0.113.7/32"],
    ["2001:db8:1:2ab:1::1", "2001:db8:1:200::/56", "2001:db8:1:2ab::/64"],
    ["2001:0db8:0001:02ff::9", "2001:db8:1:200::/56", "2001:db8:1:2ff::/64"],
    ["fe80::1%eth0", "fe80::/56", "fe80::/64"],
    ["", "", ""],
    ["unknown", "", ""],
  ])("%s is in %s, and counts as %s", (address, network, limited) => {
    expect([clientNetwork(address), limitedNetwork(address)]).toEqual([network, limited]);
  });
});
