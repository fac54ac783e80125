/** Tests of the address policy, case by case (private by switch, link-local and metadata never). */
import { expect, test } from "vitest";
import { addressRefusal, classifyAddress, isAddressAllowed } from "./address.ts";

test.each([
  ["8.8.8.8", "public"],
  ["1.1.1.1", "public"],
  ["172.15.255.255", "public"],
  ["172.32.0.1", "public"],
  ["100.63.255.255", "public"],
  ["2606:4700::1111", "public"],
  ["[2606:4700::1111]", "public"],
  ["64:ff9b::808:808", "public"],
  ["2002:808:808::1", "public"],
  ["::ffff:8.8.8.8", "public"],
  ["10.0.0.1", "private"],
  ["127.0.0.1", "private"],
  ["127.255.255.254", "private"],
  ["172.16.0.1", "private"],
  ["172.31.255.255", "private"],
  ["192.168.1.1", "private"],
  ["100.64.0.1", "private"],
  ["198.18.0.1", "private"],
  ["::1", "private"],
  ["fc00::1", "private"],
  ["fd12:3456::1", "private"],
  ["::ffff:127.0.0.1", "private"],
  ["::ffff:7f00:1", "private"],
  ["::127.0.0.1", "private"],
  ["64:ff9b::7f00:1", "private"],
  ["64:ff9b::10.0.0.1", "private"],
  ["2002:7f00:1::", "private"],
  ["0.0.0.0", "forbidden"],
  ["0.1.2.3", "forbidden"],
  ["169.254.169.254", "forbidden"],
  ["169.254.0.1", "forbidden"],
  ["100.100.100.200", "forbidden"],
  ["168.63.129.16", "forbidden"],
  ["192.0.0.192", "forbidden"],
  ["224.0.0.1", "forbidden"],
  ["255.255.255.255", "forbidden"],
  ["240.0.0.1", "forbidden"],
  ["192.0.2.1", "forbidden"],
  ["::", "forbidden"],
  ["fe80::1", "forbidden"],
  ["fe80::1%eth0", "forbidden"],
  ["fd00:ec2::254", "forbidden"],
  ["ff02::1", "forbidden"],
  ["2001::1", "forbidden"],
  ["2001:db8::1", "forbidden"],
  ["::ffff:169.254.169.254", "forbidden"],
  ["::ffff:a9fe:a9fe", "forbidden"],
  ["64:ff9b::a9fe:a9fe", "forbidden"],
  ["2002:a9fe:a9fe::", "forbidden"],
  ["::ffff:0.0.0.0", "forbidden"],
  ["localhost", "forbidden"],
  ["", "forbidden"],
  ["2130706433", "forbidden"],
  ["0x7f.1", "forbidden"],
  ["127.1", "forbidden"],
] as const)("%s is %s", (address, kind) => {
  expect(classifyAddress(address)).toBe(kind);
});

test("the switch opens private addresses and nothing else", () => {
  expect(isAddressAllowed("10.0.0.1", false)).toBe(false);
  expect(isAddressAllowed("10.0.0.1", true)).toBe(true);
  expect(isAddressAllowed("169.254.169.254", true)).toBe(false);
  expect(isAddressAllowed("0.0.0.0", true)).toBe(false);
  expect(addressRefusal("10.0.0.1")).toContain("AllowPrivateUpstreamsEnabled");
  expect(addressRefusal("169.254.169.254")).toContain("never");
});
