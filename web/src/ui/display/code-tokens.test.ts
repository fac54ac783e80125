/** Tests of the colouring of snippets: no character is lost, and addresses are one plain word. */
import { expect, test } from "vitest";
import { tokenizeLine } from "./code-tokens.ts";

const textOf = (line: string, language: "shell" | "python" | "json"): string =>
  tokenizeLine(line, language)
    .map(({ text }) => text)
    .join("");

test.each([
  ["curl http://127.0.0.1:3000/v1/chat/completions \\", "shell"],
  ["export ANTHROPIC_BASE_URL='http://127.0.0.1:3000'", "shell"],
  ['client = OpenAI(base_url="https://gate.acme.dev/v1", timeout=30)', "python"],
  ['{ "tokens": 2184, "tier": "standard" }', "json"],
  ["", "shell"],
] as const)("%s keeps every character", (line, language) => {
  expect(textOf(line, language)).toBe(line);
});

test("the numbers of an address are no numbers", () => {
  const kinds = tokenizeLine("curl http://127.0.0.1:3000/v1 -m 30", "shell");
  expect(kinds.filter(({ kind }) => kind === "number")).toEqual([{ kind: "number", text: "30" }]);
  expect(kinds).toContainEqual({ kind: "plain", text: "http://127.0.0.1:3000/v1" });
});

test("an address given to a variable is a string, quoted or not", () => {
  for (const value of ["https://gate.acme.dev", "'https://gate.acme.dev'"])
    expect(tokenizeLine(`export A=${value}`, "shell")).toContainEqual({ kind: "string", text: value });
});
