/** What a chat stores: earlier answers and questions, the continuation of a stopped one, names, and files; and a separate set of prompts. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { playgroundSite, reply, say } from "../support/checks/playground-site.ts";
import { seriousFindings } from "../support/systems/browser.ts";
import { testInAll } from "../support/soak/test-in-all.ts";

const site = playgroundSite();

/** What the upstream was asked last, without the system prompt. */
const askedLast = () =>
  ((site.asked().at(-1)?.["messages"] ?? []) as { content: string }[]).slice(1).map(({ content }) => content);

test("an answer asked for again is one of its versions, and an edited question a branch with its own answer; all are kept", async () => {
  const { page } = site;
  site.upstream.next({ text: "first" }, { text: "second" }, { text: "third" }, { text: "fourth" });
  await say(page, "one");
  await (await reply(page)).getByRole("button", { name: "Retry" }).click();
  await page.getByText("second").waitFor();
  const answer = await reply(page);
  await answer.getByText("2/2").waitFor();
  await answer.getByRole("button", { name: "Previous version" }).click();
  await page.getByText("first", { exact: true }).waitFor();
  await say(page, "more");
  await page.getByText("third").waitFor();
  expect(askedLast()).toEqual(["one", "first", "more"]);
  const question = page.getByRole("article", { name: "You" }).first();
  await question.hover();
  await question.getByRole("button", { name: "Edit" }).click();
  await page.getByRole("textbox", { name: "Edit the message" }).fill("two");
  await page.keyboard.press("Control+Enter");
  await page.getByText("fourth").waitFor();
  expect(askedLast()).toEqual(["two"]);
  await page.reload();
  await question.getByText("2/2").waitFor();
  await question.hover();
  await question.getByRole("button", { name: "Previous version" }).click();
  await page.getByText("third").waitFor();
  await page.getByText("1/2").last().waitFor();
  expect(await seriousFindings(page)).toEqual([]);
});

testInAll("a stopped answer is gone on with in its own place, and its figures count both calls")(async () => {
  const { page } = site;
  site.upstream.next(
    { text: "a b c d e f g h", chunks: 8, chunkDelayMs: 60, endDelayMs: 60_000 },
    { text: " and the rest.", usage: { prompt_tokens: 50, completion_tokens: 4, total_tokens: 54 } },
  );
  await say(page, "Count.");
  await reply(page, 1, "incomplete");
  await page.getByText("a b").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  const stopped = await reply(page);
  await stopped.getByText("Stopped").waitFor();
  await stopped.getByRole("button", { name: "Continue" }).click();
  await stopped.getByText(/a b.* and the rest\./).waitFor();
  expect(await page.getByText("Stopped").count()).toBe(0);
  expect(askedLast()).toEqual(["Count.", expect.stringMatching(/^a b/), expect.stringMatching(/^Continue exactly/)]);
  await expect.poll(() => page.getByRole("article").count()).toBe(2);
});

testInAll("a chat is named, pinned, found by words in it, and saved as a file")(async () => {
  const { page } = site;
  await say(page, "About lighthouses");
  await reply(page);
  await page.getByRole("button", { name: "New chat" }).click();
  await say(page, "About bridges");
  await reply(page);
  await page.getByRole("radio", { name: "Chats" }).click();
  const panel = page.getByRole("complementary", { name: "Settings and chats" });
  const names = () => panel.getByRole("listitem").locator("button[class*=open] > span:first-child").allInnerTexts();
  await panel.getByRole("button", { name: "Pin About lighthouses" }).click();
  await expect.poll(names).toEqual(["About lighthouses", "About bridges"]);
  await panel.getByRole("button", { name: "Rename About bridges" }).click();
  await panel.getByRole("textbox", { name: "Name of the chat" }).fill("Engineering");
  await page.keyboard.press("Enter");
  await expect.poll(names).toEqual(["About lighthouses", "Engineering"]);
  expect(await seriousFindings(page)).toEqual([]);
  await panel.getByRole("searchbox", { name: "Search chats" }).fill("answer BRIDGES");
  await expect.poll(names).toEqual(["Engineering"]);
  const saving = page.waitForEvent("download");
  await panel.getByRole("button", { name: "Markdown" }).click();
  const file = await saving;
  expect(file.suggestedFilename()).toBe("Engineering.md");
  expect(await readFile(await file.path(), "utf8")).toContain("**You**\n\nAbout bridges");
  await page.reload();
  await page.getByRole("radio", { name: "Chats" }).click();
  await expect.poll(names).toEqual(["About lighthouses", "Engineering"]);
});

test("a set of prompts has its price first, runs over all models of the chat, and gives a table and CSV", async () => {
  const { page } = site;
  await page.getByRole("button", { name: "Compare models" }).click();
  await page.getByRole("button", { name: "Prompt set" }).click();
  const drawer = page.getByRole("dialog", { name: "Prompt set" });
  const box = drawer.getByRole("textbox", { name: "Prompts, one a line" });
  await box.fill(Array.from({ length: 51 }, (_, index) => `line ${index}`).join("\n"));
  await drawer.getByText("51 prompts are more than 50.").waitFor();
  expect(await drawer.getByRole("button", { name: "Run" }).getAttribute("aria-disabled")).toBe("true");
  await box.fill("one\n\ntwo, please");
  await drawer.getByText(/^About \$0\.\d{4}: 4 calls, if each answer has 500 tokens\.$/).waitFor();
  site.upstream.plan(({ json }) => ({ text: `I am ${String(json?.["model"])}.` }));
  await drawer.getByRole("button", { name: "Run" }).click();
  await expect.poll(() => drawer.getByText(/^I am gpt-4o-mini\.$/).count()).toBe(2);
  await expect.poll(() => drawer.getByText(/^I am deepseek-chat\.$/).count()).toBe(2);
  expect(
    site
      .asked()
      .map(({ model, messages }) => [model, (messages as { content: string }[]).at(-1)?.content])
      .sort(),
  ).toEqual([
    ["deepseek-chat", "one"],
    ["deepseek-chat", "two, please"],
    ["gpt-4o-mini", "one"],
    ["gpt-4o-mini", "two, please"],
  ]);
  expect(await seriousFindings(page)).toEqual([]);
  const saving = page.waitForEvent("download");
  await drawer.getByRole("button", { name: "Save as CSV" }).click();
  const lines = (await readFile(await (await saving).path(), "utf8")).split("\r\n");
  expect(lines.filter((line) => line.startsWith('"two, please",gpt-4o-mini,I am gpt-4o-mini.,,'))).toHaveLength(1);
  await page.keyboard.press("Escape");
  await drawer.waitFor({ state: "detached" });
  expect(await page.getByRole("article").count()).toBe(0);
});

testInAll("a prompt is kept as a preset, and its places are filled each time it is used")(async () => {
  const { page } = site;
  const box = page.getByRole("textbox", { name: "Message" });
  await box.fill("Translate into {{language}}: good day");
  await page.getByRole("button", { name: "Prompt presets" }).click();
  const dialog = page.getByRole("dialog", { name: "Prompt presets" });
  await dialog.getByLabel("Name of the preset").fill("Translate");
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Translate", exact: true }).waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  await page.reload();
  await page.getByRole("button", { name: "Prompt presets" }).click();
  await dialog.getByRole("button", { name: "Translate", exact: true }).click();
  await dialog.getByLabel("language").fill("Norwegian");
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  await expect.poll(() => box.inputValue()).toBe("Translate into Norwegian: good day");
  await page.getByRole("button", { name: "Prompt presets" }).click();
  await dialog.getByRole("button", { name: "Delete Translate" }).click();
  await dialog.getByText("No presets yet.").waitFor();
});

testInAll("files of text go with a prompt, and what that may cost stands there before it is sent")(async () => {
  const { page } = site;
  const file = (name: string, text: string) => ({ name, mimeType: "text/markdown", buffer: Buffer.from(text) });
  await page
    .locator('input[type="file"]')
    .setInputFiles([file("notes.md", "Remember the **milk**."), file("huge.md", "x".repeat(300_000))]);
  await page.getByText("Up to 5 files of text can be sent, each of up to 256 KB.").waitFor();
  await page.getByRole("list", { name: "Files" }).getByText("notes.md").waitFor();
  await page
    .getByText(/^About \d+ tokens go out, with what was said before\. About \$0\.\d{4}, if the answer/)
    .waitFor();
  await say(page, "What is to be done?");
  await reply(page);
  expect(askedLast()).toEqual(["What is to be done?\n\nnotes.md\n```\nRemember the **milk**.\n```"]);
  await expect.poll(() => page.getByRole("list", { name: "Files" }).count()).toBe(0);
});
