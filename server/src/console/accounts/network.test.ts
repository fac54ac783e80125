/** Promises of networks: neighbours share one, strangers do not, and spellings of one address are one. */
import { describe, expect, test } from "vitest";
import { clientNetwork } from "./network.ts";

describe("the network of an address", () => {
  test.each([
    ["203.0.113.7", "203.0.113.0/24"],
    ["203.0.113.254", "203.0.113.0/24"],
    ["::ffff:203.0.113.7", "203.0.113.0/24"],
    ["2001:db8:1:2ab:1::1", "2001:db8:1:200::/56"],
    ["2001:0db8:0001:02ff::9", "2001:db8:1:200::/56"],
    ["", ""],
    ["unknown", ""],
  ])("%s is in %s", (address, network) => {
    expect(clientNetwork(address)).toBe(network);
  });
});
