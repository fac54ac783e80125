/** Password rules: 8 to 128 characters, not among the commonest, and not made of names alone. */
import { expect, test } from "vitest";
import { COMMON_PASSWORDS } from "./common-passwords.ts";
import { passwordProblem, passwordStrength, siteNames } from "./passwords.ts";

const NAMES = ["Turnpike", "maria", "maria.fernandez@acme-corp.example"];
const problem = (password: string) => passwordProblem(password, NAMES, COMMON_PASSWORDS);

test.each([
  ["seven77", "short"],
  ["１２３４５６７", "short"],
  ["x1".repeat(64) + "y", "long"],
  ["😀".repeat(129), "long"],
  ["password", "common"],
  ["PassWord", "common"],
  ["ｐａｓｓｗｏｒｄ", "common"],
  ["12345678", "common"],
  ["aaaaaaaa", "common"],
  ["abababababab", "common"],
  ["qwertyuiop", "common"],
  ["turnpike", "name"],
  ["Turnpike2026!", "name"],
  ["maria-maria", "name"],
  ["Fernandez!99", "name"],
  ["acme-corp1", "name"],
  ["ACMEturnpike", "name"],
] as const)("%j is refused: %s", (password, expected) => {
  expect(problem(password)).toBe(expected);
});

test.each([
  "correct horse 1",
  "correct horse battery staple",
  "x1y".repeat(42) + "xy",
  "😀🎈🎉".repeat(42),
  "turnpike to the north",
  "93847561023",
])("%j is accepted", (password) => {
  expect(problem(password)).toBeUndefined();
});

test("a site's names are its own, the product's, and the labels of its host that are long enough", () => {
  const site = { name: "Our gate", address: "https://api.north-wind.example.com:8443/x" };
  expect(siteNames(site)).toEqual(["Our gate", "Turnpike", "north-wind", "example"]);
  expect(siteNames({ name: "A", address: "http://192.0.2.10" })).toEqual(["A", "Turnpike"]);
  expect(siteNames({ name: "A", address: "" })).toEqual(["A", "Turnpike"]);
  const names = siteNames(site);
  for (const password of ["north-wind1!", "North-Wind2026", "Turnpike2026!", "example99"])
    expect([password, passwordProblem(password, names, "")]).toEqual([password, "name"]);
  expect(passwordProblem("a north wind blows", names, "")).toBeUndefined();
});

test("the list has ten thousand, each a password that its length does not refuse", () => {
  const listed = COMMON_PASSWORDS.trim().split(" ");
  expect(new Set(listed).size).toBe(10_000);
  expect(listed.filter((password) => password.length < 8 || password !== password.toLowerCase())).toEqual([]);
});

test.each([
  ["password", "weak"],
  ["Turnpike2026!", "weak"],
  ["aaaabbbbcccc", "weak"],
  ["abcdefghijklmnop1", "weak"],
  ["kx7wq2mfp", "fair"],
  ["second password", "fair"],
  ["kX7wq2mfp!", "good"],
  ["correct horse battery staple", "strong"],
  ["kX7wq2mfp!Lr", "strong"],
] as const)("the strength of %j is shown as %s", (password, expected) => {
  expect(passwordStrength(password, problem(password))).toBe(expected);
});
