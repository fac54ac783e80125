/** The playground in a real browser: words as they come, stopped, asked again, edited, deleted, kept, and what is sent for them. */
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { IS_SHORT } from "../support/soak/short-or-long.ts";
import { testInAll } from "../support/soak/test-in-all.ts";
import { overflow, PHONE, seriousFindings } from "../support/systems/browser.ts";
import { playgroundSite, replies, reply, say } from "../support/checks/playground-site.ts";

const site = playgroundSite();
const SYSTEM = { role: "system", content: expect.stringMatching(/^You are a helpful assistant/) };

test("a prompt is streamed, with tokens, cost and times below, and a receipt in the log", async () => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  let frames = 0;
  site.upstream.plan({
    text: "Words that come one after the other.",
    reasoning: "I think first.",
    chunks: 6,
    beforeFrame: async () => void ((frames += 1) > 9 && (await held)),
  });
  const { page } = site;
  expect(page.url()).toMatch(/\/playground\?id=\w+$/);
  await say(page, "Tell me.");
  await reply(page, 1, "incomplete");
  await page.getByRole("button", { name: "Stop" }).waitFor();
  release();
  const last = await reply(page);
  await expect.poll(() => last.innerText()).toContain("Words that come one after the other.");
  await last.getByText(/^\d+ \+ \d+ tokens$/).waitFor();
  await last.getByText(/^\$0\.\d{6}$/).waitFor();
  await last.getByText(/^first token \d+/).waitFor();
  expect(site.asked()).toEqual([
    {
      model: "gpt-4o-mini",
      stream: true,
      stream_options: { include_usage: true },
      messages: [SYSTEM, { role: "user", content: "Tell me." }],
    },
  ]);
  const thoughts = last.getByRole("button", { name: /^(?:Thought|Thoughts)/ });
  expect(await last.getByText("I think first.").count()).toBe(0);
  await thoughts.click();
  await last.getByText("I think first.").waitFor();
  await last.getByRole("link", { name: "Receipt" }).click();
  await page.waitForURL(/\/log\?request_id=/);
  await page.getByText("playground-default").first().waitFor();
});

const focusedAttribute = (name: string) =>
  site.page.evaluate((attribute) => document.activeElement?.getAttribute(attribute), name);

test("a reply is stopped with what came, and the upstream is not kept waiting", async () => {
  site.upstream.plan({ text: "a b c d e f g h", chunks: 8, chunkDelayMs: 60, endDelayMs: 60_000 });
  const { page } = site;
  await say(page, "Count.");
  await reply(page, 1, "incomplete");
  await page.getByRole("button", { name: "Stop" }).click();
  const last = await reply(page);
  await last.getByText("Stopped").waitFor();
  await expect.poll(() => site.upstream.requests[0]?.wasAborted).toBe(true);
  await page.getByRole("button", { name: "Send" }).waitFor();
  // The same button, off now with nothing to send.
  expect(await focusedAttribute("aria-label")).toBe("Send");
});

testInAll("retry, edit and resend, copy, delete, and a cleared context each send what is left on the screen")(
  async () => {
    const { page } = site;
    site.upstream.next({ text: "first" }, { text: "second" }, { text: "third" }, { text: "fourth" });
    await say(page, "one");
    await (await reply(page)).getByRole("button", { name: "Retry" }).click();
    await page.getByText("second").waitFor();
    // The button went with its reply; keys still scroll the conversation.
    expect(await focusedAttribute("role")).toBe("region");
    expect(await page.getByText("first", { exact: true }).count()).toBe(0);
    const said = page.getByRole("article", { name: "You" }).last();
    await said.hover();
    await said.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("textbox", { name: "Edit the message" }).fill("two");
    await page.keyboard.press("Control+Enter");
    await page.getByText("third").waitFor();
    await (await reply(page)).getByRole("button", { name: "Copy" }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe("third");
    await replies(page).first().hover();
    await replies(page).first().getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Clear context" }).click();
    await page.getByText("Context cleared").waitFor();
    await say(page, "three");
    await page.getByText("fourth").waitFor();
    const sent = site
      .asked()
      .map(({ messages }) => (messages as { content: string }[]).slice(1).map(({ content }) => content));
    expect(sent).toEqual([["one"], ["one"], ["two"], ["three"]]);
  },
);

/** The pixels around a place of the slider's track, from 0 to 1. */
async function piece(slider: Locator, share: number): Promise<Buffer> {
  // It is drawn anew while the model's own values come.
  await expect
    .poll(() =>
      slider.scrollIntoViewIfNeeded().then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  const box = await slider.boundingBox();
  if (box === null) throw new Error("the slider is not drawn");
  const left = Math.round(box.x + 12 + (box.width - 24) * share - 5);
  return slider
    .page()
    .screenshot({ clip: { x: left, y: Math.round(box.y), width: 10, height: Math.round(box.height) } });
}

testInAll("parameters are the model's own until they are moved, and remembered for each model")(async () => {
  const { page } = site;
  const slider = page.getByRole("slider", { name: "Temperature" });
  await expect.poll(() => slider.getAttribute("aria-valuetext")).toBe("Model default");
  // No knob says a value that is not sent: the track looks the same in its middle and at its end.
  expect(await piece(slider, 0.99)).toEqual(await piece(slider, 0.5));
  await slider.focus();
  for (let press = 0; press < 3; press += 1) await page.keyboard.press("ArrowLeft");
  await page.getByLabel("Max tokens").fill("77");
  await page.getByLabel("System prompt").fill("");
  await say(page, "one");
  await reply(page);
  expect(site.asked()[0]).toMatchObject({ temperature: 0.7, max_tokens: 77 });
  expect(site.asked()[0]?.["messages"]).not.toContainEqual(SYSTEM);
  await page.getByRole("button", { name: /^Model / }).click();
  await page.getByRole("option", { name: "gpt-4o", exact: true }).click();
  await say(page, "two");
  await reply(page, 2);
  expect(site.asked()[1]).toMatchObject({ model: "gpt-4o" });
  expect(Object.keys(site.asked()[1] ?? {})).not.toContain("temperature");
  await page.reload();
  await page.getByText("two", { exact: true }).waitFor();
  await page.getByRole("button", { name: /^Model / }).click();
  await page.getByRole("option", { name: "gpt-4o-mini" }).click();
  await expect.poll(() => slider.getAttribute("aria-valuetext")).toBe("0.7");
});

test("what the relay refuses is told with the request's id and its log entry; a broken stream is no whole answer", async () => {
  const { page } = site;
  site.upstream.next(
    { status: 400, error: { message: "The word is not allowed" } },
    { text: "half of it", chunks: 4, cutAtByte: 700 },
  );
  await say(page, "one");
  const failed = await reply(page, 1, "error");
  await failed
    .getByText(/The word is not allowed/)
    .first()
    .waitFor();
  await failed.getByRole("button", { name: "Copy request ID" }).or(failed.locator(".mono")).first().waitFor();
  await expect
    .poll(() => failed.getByRole("link", { name: "Log entry" }).getAttribute("href"))
    .toMatch(/^\/log\?request_id=\w+/);
  await failed.getByRole("button", { name: "Retry" }).first().click();
  await page.getByText("half").waitFor();
  const broken = await reply(page, 1, "error");
  site.upstream.plan({ text: "whole again", sendsDone: false });
  await broken.getByRole("button", { name: "Retry" }).first().click();
  await page.getByText("whole again").waitFor();
  await reply(page);
});

testInAll("an ended session is said in the address and on the page, and nothing of the chat is lost")(async () => {
  const { page } = site;
  await page.context().clearCookies();
  await say(page, "am I here?");
  await reply(page, 1, "error");
  await page.waitForURL(/expired=true/);
  await page.getByText("Not logged in or session expired. Please login again!").first().waitFor();
  await expect.poll(() => page.getByText("am I here?").count()).toBe(1);
  await page.getByRole("link", { name: "Log in" }).waitFor();
});

test("chats are kept in this browser, listed, opened again and deleted", async () => {
  const { page } = site;
  await say(page, "the first chat");
  await reply(page);
  await page.getByRole("button", { name: "New chat" }).click();
  await say(page, "the second chat");
  await reply(page);
  await page.getByRole("radio", { name: "Chats" }).click();
  const list = page.getByRole("complementary", { name: "Settings and chats" });
  await expect
    .poll(() => list.getByRole("button", { name: /chat/ }).allInnerTexts())
    .toEqual(
      expect.arrayContaining([expect.stringContaining("the second chat"), expect.stringContaining("the first chat")]),
    );
  await list.getByRole("button", { name: /^the first chat/ }).click();
  await page.getByRole("article").getByText("the first chat").waitFor();
  await list.getByRole("button", { name: "Delete the first chat" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect.poll(() => list.getByRole("button", { name: /^the first chat/ }).count()).toBe(0);
  await page.goto(`${site.server.app.url}/playground`);
  await page.getByRole("article").getByText("the second chat").waitFor();
});

testInAll("on a phone the panel lies over the chat, in Chinese and dark, whole and accessible")(async () => {
  site.upstream.plan({
    text: "# 标题\n\n一段**文字**。\n\n```js\nconst a = 1;\n```\n\n| a | b |\n| - | - |\n| 1 | 2 |",
  });
  const phone = await site.open({ size: PHONE, language: "zh", theme: "dark" });
  await say(phone.page, "你是谁？");
  await reply(phone.page);
  await phone.page.getByRole("heading", { name: "标题" }).waitFor();
  await phone.settled();
  expect(await overflow(phone.page)).toBe(0);
  // In the short form playground-more.test.ts looks at answers.
  if (!IS_SHORT) expect(await seriousFindings(phone.page)).toEqual([]);
  await phone.page.getByRole("button", { name: "设置与对话", exact: true }).click();
  await phone.page.getByRole("slider", { name: "温度" }).waitFor();
  await phone.settled();
  expect(await seriousFindings(phone.page)).toEqual([]);
  await phone.page.getByRole("button", { name: "关闭面板" }).click();
  await expect.poll(() => phone.page.getByRole("slider", { name: "温度" }).count()).toBe(0);
  expect(phone.complaints).toEqual([]);
});
