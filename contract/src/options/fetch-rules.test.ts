/** Tests of the lists for fetched pictures and files: which addresses they let through, and which entries are refused. */
import { expect, test } from "vitest";
import { fetchHostsSchema, fetchPortsSchema, fetchFilterOf, isFetchAllowed } from "./fetch-rules.ts";
import { parseOptions } from "./options.ts";

const HOSTS = ["example.com", "*.cdn.example", "203.0.113.7", "[2001:db8::1]"];
const rules = (onlyListed: boolean, hosts: readonly string[] = HOSTS, ports: readonly string[] = []) => ({
  onlyListed,
  hosts,
  ports,
});
const isAllowed = (url: string, by: ReturnType<typeof rules>): boolean => isFetchAllowed(new URL(url), by);

test.each([
  ["https://example.com/a.png", true],
  ["https://EXAMPLE.com./a.png", true],
  ["https://www.example.com/a.png", false],
  ["https://a.cdn.example/x", true],
  ["https://a.b.cdn.example/x", true],
  ["https://cdn.example/x", false],
  ["https://evilcdn.example/x", false],
  ["https://203.0.113.7/x", true],
  ["https://[2001:db8::1]/x", true],
  ["https://other.example/x", false],
])("%s is listed: %s", (url, isListed) => {
  expect([isAllowed(url, rules(true)), isAllowed(url, rules(false))]).toEqual([isListed, !isListed]);
});

test("an empty list lets everything through, and nothing where only listed hosts are fetched from", () => {
  expect([isAllowed("https://a.example/", rules(false, [])), isAllowed("https://a.example/", rules(true, []))]).toEqual(
    [true, false],
  );
});

test("ports hold beside hosts, those that an address leaves out too", () => {
  const by = rules(false, ["denied.example"], ["443", "8000-8002"]);
  const urls = ["https://a.example/", "http://a.example/", "http://a.example:8001/", "http://a.example:8003/"];
  expect(urls.map((url) => isAllowed(url, by))).toEqual([true, false, true, false]);
  expect(isAllowed("https://denied.example/", by)).toBe(false);
});

test("entries are taken as other gateways of the family store them, and others are refused", () => {
  expect(fetchHostsSchema.parse(["Example.COM", " *.A.example ", "2001:db8::1"])).toEqual([
    "example.com",
    "*.a.example",
    "[2001:db8::1]",
  ]);
  expect(fetchPortsSchema.parse(["80", 443, "8000-9000"])).toEqual(["80", "443", "8000-9000"]);
  for (const host of ["https://a.example", "a.example/x", "*", "localhost", "10.0.0.0/8", ""])
    expect([host, fetchHostsSchema.safeParse([host]).success]).toEqual([host, false]);
  for (const port of ["0", "65536", "9000-8000", "http", ""])
    expect([port, fetchPortsSchema.safeParse([port]).success]).toEqual([port, false]);
});

test("a new site fetches from every host and port, and a list that is stored holds", () => {
  const asked = new URL("https://a.example:8080/x");
  expect(fetchFilterOf(parseOptions(new Map()))(asked)).toBe(true);
  expect(fetchFilterOf(parseOptions(new Map([["fetch_setting.domain_list", '["*.example"]']])))(asked)).toBe(true);
  expect(fetchFilterOf(parseOptions(new Map([["fetch_setting.domain_list", '["a.example"]']])))(asked)).toBe(false);
  expect(fetchFilterOf(parseOptions(new Map([["fetch_setting.allowed_ports", '["443"]']])))(asked)).toBe(false);
});
