/** Tests of chat links of the settings: they lead where they say, or nowhere. */
import { beforeAll, expect, test, vi } from "vitest";

beforeAll(() => {
  vi.stubGlobal("location", { origin: "https://gate.acme.dev" });
  return () => vi.unstubAllGlobals();
});

const { carriesKey, chatLinks, offeredLinks, receiverOfTemplate, sendToFluentRead, usableChatLink } =
  await import("./chat-links.ts");

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

const textOf = (encoded: string): unknown => JSON.parse(atob(decodeURIComponent(encoded)));

test.each([
  ["cherrystudio://providers/api-keys?v=1&data={cherryConfig}", { id: "new-api" }],
  ["aionui://provider/add?v=1&data={aionuiConfig}", { platform: "new-api" }],
  ["deepchat://provider/install?v=1&data={deepchatConfig}", { id: "new-api" }],
])("the settings of the app in %s are its address and key", (template, who) => {
  const [, data = ""] = usableChatLink(template, "abc")?.split("data=") ?? [];
  expect(textOf(data)).toEqual({ ...who, baseUrl: "https://gate.acme.dev", apiKey: "sk-abc" });
});

test("the word ccswitch is a link for each agent that it configures", () => {
  const offered = offeredLinks([
    { name: "CC", template: " ccswitch " },
    { name: "Own", template: "own://{key}" },
  ]);
  expect(offered.map(({ name }) => name)).toEqual(["CC · Claude Code", "CC · Codex", "CC · Gemini CLI", "Own"]);
  const links = offered.slice(0, 3).map(({ template }) => new URL(usableChatLink(template, "abc") ?? ""));
  expect(links.map(({ protocol, host, pathname }) => [protocol, host, pathname])).toEqual(
    links.map(() => ["ccswitch:", "v1", "/import"]),
  );
  expect(links.map(({ searchParams }) => Object.fromEntries(searchParams))).toEqual(
    (
      [
        ["claude", ""],
        ["codex", "/v1"],
        ["gemini", ""],
      ] as const
    ).map(([app, suffix]) => ({
      resource: "provider",
      app,
      name: "gate.acme.dev",
      endpoint: `https://gate.acme.dev${suffix}`,
      apiKey: "sk-abc",
      homepage: "https://gate.acme.dev",
      enabled: "true",
    })),
  );
});

test.each([
  ["https://chat.example/?key={key}", true, "chat.example"],
  ["https://chat.example/?data={cherryConfig}", true, "chat.example"],
  ["https://chat.example/#{aionuiConfig}", true, "chat.example"],
  ["deepchat://x?data={deepchatConfig}", true, "deepchat://"],
  ["ccswitch", true, "ccswitch://"],
  ["fluentread", true, "FluentRead"],
  ["https://chat.example/?at={address}", false, "chat.example"],
])("whether %s passes the key on, and to whom, is known before it is asked", (template, passes, receiver) => {
  expect([carriesKey(template), receiverOfTemplate(template)]).toEqual([passes, receiver]);
});

test("FluentRead gets address and key from the page, where it is there", () => {
  const container = new EventTarget();
  const taken: unknown[] = [];
  container.addEventListener("fluent:prefill", (event) => taken.push((event as CustomEvent<unknown>).detail));
  const page = (element: EventTarget | null) => ({ getElementById: () => element as HTMLElement | null });
  expect(sendToFluentRead("abc", page(null))).toBe(false);
  expect(sendToFluentRead("abc", page(container))).toBe(true);
  expect(taken).toEqual([{ id: "new-api", baseUrl: "https://gate.acme.dev", apiKey: "sk-abc" }]);
});
