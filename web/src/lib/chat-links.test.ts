/** Chat links of the settings lead where they say, or nowhere. */
import { beforeAll, expect, test, vi } from "vitest";

beforeAll(() => {
  vi.stubGlobal("location", { origin: "https://gate.acme.dev" });
  return () => vi.unstubAllGlobals();
});

const { chatLinks, usableChatLink } = await import("./chat-links.ts");

test("each name of the setting is one link", () => {
  expect(chatLinks([{ A: "https://a.example" }, { B: "b://x", C: "c://x" }]).map(({ name }) => name)).toEqual([
    "A",
    "B",
    "C",
  ]);
});

test("the address is encoded and the key has its prefix", () => {
  expect(usableChatLink("app://add?address={address}&key={key}", "abc")).toBe(
    "app://add?address=https%3A%2F%2Fgate.acme.dev&key=sk-abc",
  );
});

test("a link that runs here or leads nowhere is refused", () => {
  const links = ["javascript:alert('{key}')", " JavaScript:alert(1)", "data:text/html,{key}", "not a link", ""];
  expect(links.map((template) => usableChatLink(template, "abc"))).toEqual(links.map(() => undefined));
});
