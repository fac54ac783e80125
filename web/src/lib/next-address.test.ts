/** A login leads back to the wanted page of this site, and never to another site, whatever the link says. */
import { expect, test } from "vitest";
import { nextAddress } from "./next-address.ts";

const ORIGIN = "https://console.example";
const next = (wanted: string | undefined): string => nextAddress(wanted, ORIGIN);

test.each(["/log?type=2&model_name=gpt-4o", "/channel/edit/3", "/detail#models", "/pricing?keyword=a%2Fb", "/"])(
  "%s is kept with its filters",
  (wanted) => expect(next(wanted)).toBe(wanted),
);

test.each([
  "https://evil.example/",
  "//evil.example/log",
  "/\\evil.example",
  "\\\\evil.example",
  "/\t/evil.example",
  "/\n/evil.example",
  " //evil.example",
  "javascript:alert(1)",
  "data:text/html,x",
  "log",
  "",
  "/log\\..\\..",
])("%j does not lead away: the tokens open", (wanted) => expect(next(wanted)).toBe("/token"));

test("dots cannot make a path of another site either", () => {
  expect(next("/..//evil.example")).toBe("/token");
  expect(next("/a/..//evil.example")).toBe("/token");
});

test("the entry pages themselves are no goal, and without a goal the tokens open", () => {
  for (const wanted of ["/login", "/login?expired=true", "/setup", "/register", undefined])
    expect(next(wanted)).toBe("/token");
});
