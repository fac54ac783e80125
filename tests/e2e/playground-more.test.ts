/** What a chat has beyond words: models side by side, pictures, tools, and the chat as a program. */
import { expect, test } from "vitest";
import { overflow, PHONE, seriousFindings, layoutShift } from "../support/systems/browser.ts";
import { playgroundSite, replies, reply, say } from "../support/checks/playground-site.ts";

const site = playgroundSite();
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

test("one prompt goes to two to four models, each goes on with its own words", async () => {
  const { page, settled } = site.tab;
  const add = page.getByRole("button", { name: "Compare models" });
  await add.click();
  await add.click();
  await expect.poll(() => page.getByRole("region", { name: /^Messages of/ }).count()).toBe(3);
  site.upstream.plan(({ json }) => ({ text: `I am ${String(json?.["model"])}.` }));
  await say(page, "Who are you?");
  await expect.poll(() => replies(page).count()).toBe(3);
  const asked = () =>
    site
      .asked()
      .map(({ model }) => model)
      .toSorted();
  expect(asked()).toEqual(["deepseek-chat", "gpt-4o", "gpt-4o-mini"]);
  for (const model of asked()) await page.getByText(`I am ${String(model)}.`).waitFor();
  const totals = page.getByRole("group", { name: "Totals of the answers" });
  await expect.poll(() => totals.count()).toBe(3);
  await totals
    .first()
    .getByText(/^\$0\.\d{6}$/)
    .waitFor();
  await say(page, "Sure?");
  await expect.poll(() => replies(page).count()).toBe(6);
  for (const { model, messages } of site.asked().slice(3))
    expect(JSON.stringify(messages)).toContain(`I am ${String(model)}.`);
  await settled();
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByRole("button", { name: /^Remove gpt-4o from/ }).click();
  await expect.poll(() => replies(page).count()).toBe(4);
  await page.setViewportSize(PHONE);
  expect(await overflow(page)).toBe(0);
});

test("a model that joins an answered chat has the question and no answer of another under its name, and is asked by one press", async () => {
  const { page } = site;
  site.upstream.plan(({ json }) => ({ text: `I am ${String(json?.["model"])}.` }));
  await say(page, "Who is it?");
  await page.getByText("I am gpt-4o-mini.").waitFor();
  await page.getByRole("button", { name: "Compare models" }).click();
  const second = page.getByRole("region", { name: "Messages of deepseek-chat" });
  await second.getByText("Who is it?").waitFor();
  expect(await second.getByText("gpt-4o-mini").count()).toBe(0);
  site.upstream.plan(({ json }) => ({ text: `I am ${String(json?.["model"])}.` }));
  await second.getByRole("button", { name: "Ask deepseek-chat too" }).click();
  await second.getByText("I am deepseek-chat.").waitFor();
  expect(site.asked().at(-1)?.["messages"]).toMatchObject([
    { role: "system" },
    { role: "user", content: "Who is it?" },
  ]);
});

test("pictures come from a file, the clipboard or a drop, are sent as parts, and can be taken out again", async () => {
  const { page } = site;
  const picture = { name: "a.png", mimeType: "image/png", buffer: Buffer.from(PIXEL, "base64") };
  const input = page.locator('input[type="file"]');
  await input.setInputFiles([picture, { name: "a.svg", mimeType: "image/svg+xml", buffer: Buffer.from("<svg/>") }]);
  await page.getByText("Only PNG, JPEG, WebP and GIF pictures can be sent.").waitFor();
  await page.getByRole("textbox", { name: "Message" }).evaluate((box, data) => {
    const bytes = Uint8Array.from(atob(data), (letter) => letter.codePointAt(0) ?? 0);
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([bytes], "b.png", { type: "image/png" }));
    box.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, PIXEL);
  await expect.poll(() => page.getByRole("list", { name: "Pictures" }).getByRole("img").count()).toBe(2);
  await page.getByRole("button", { name: "Remove picture 2" }).click();
  await say(page, "What is it?");
  await reply(page);
  const messages = site.asked()[0]?.["messages"] as { content: unknown }[];
  expect(messages.at(-1)?.content).toEqual([
    { type: "text", text: "What is it?" },
    { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } },
  ]);
  await page.reload();
  await page.getByRole("img", { name: "Picture that was sent" }).waitFor();
});

test("a tool is asked for, its result typed in and sent, and wrong definitions are told", async () => {
  const { page } = site;
  site.upstream.next(
    { text: "", toolCalls: [{ name: "get_weather", arguments: '{"city":"Oslo"}' }] },
    { text: "It is 12 °C." },
  );
  await page.getByRole("button", { name: "Add tools" }).click();
  await page.getByRole("button", { name: "Fill template" }).click();
  await page.getByText("1 function the model may ask for").waitFor();
  await say(page, "Weather in Oslo?");
  await page.getByText('"city": "Oslo"').waitFor();
  await page.getByLabel("Result of get_weather").fill("12 °C");
  await page.getByRole("button", { name: "Send result" }).click();
  await page.getByText("It is 12 °C.").waitFor();
  expect(site.asked()[0]?.["tools"]).toMatchObject([{ type: "function", function: { name: "get_weather" } }]);
  const messages = site.asked()[1]?.["messages"] as Record<string, unknown>[];
  expect(messages.slice(-2)).toMatchObject([
    { role: "assistant", tool_calls: [{ function: { name: "get_weather", arguments: '{"city":"Oslo"}' } }] },
    { role: "tool", content: "12 °C" },
  ]);
  await page.locator(".cm-content").fill('[{"name":"not a name"}]');
  await page.getByText("Each function needs a name of letters").waitFor();
});

test("the chat is shown as a program, with a place for the token and never a key", async () => {
  const { page } = site;
  await page.getByRole("button", { name: "Show as code" }).click();
  const drawer = page.getByRole("dialog");
  await drawer.getByText(`${site.server.app.url}/v1/chat/completions`).waitFor();
  await drawer.getByRole("radio", { name: "Anthropic" }).click();
  await drawer.getByRole("radio", { name: "Python" }).click();
  await drawer.getByText("from anthropic import Anthropic").waitFor();
  await expect.poll(() => drawer.innerText()).toContain("sk-YOUR-TOKEN");
  await drawer.getByRole("button", { name: "Copy" }).last().click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain("client.messages.create(");
  expect(await seriousFindings(page)).toEqual([]);
});

test("a paragraph of thousands of characters is one paragraph, while it comes and when it is opened again", async () => {
  site.upstream.plan({ text: `${"Some more words. ".repeat(280).trim()}\n\nAfter.`, chunks: 20 });
  const { page } = site;
  await say(page, "Tell me all.");
  /** Lines on which a piece begins away from the end of the piece before. */
  const torn = async () =>
    (await reply(page)).locator("p").evaluateAll((pieces) => {
      const lines = pieces.map((piece) => [...piece.getClientRects()].map(({ top }) => Math.round(top)));
      return lines.slice(1).filter((tops, index) => tops[0] !== lines[index]?.at(-1)).length;
    });
  await (await reply(page)).getByText("After.").waitFor();
  // Only the paragraph that is one of its own begins on a line of its own.
  await expect.poll(torn).toBe(1);
  await page.reload();
  await page.getByText("After.").waitFor();
  await expect.poll(torn).toBe(1);
});

test("a long answer with formulas is followed to its end, breaks no rule while a formula is half there, and stands still when it is opened again", async () => {
  const rows = Array.from({ length: 12 }, (_, n) => `Step ${n}: \\(x_{${n}}^2\\)\n\n\`\`\`js\nlet a = ${n};\n\`\`\``);
  const text = `${rows.join("\n\n")}\n\n$$T(n) = T\\left(\\frac{n}{2}\\right) + c$$\n\nDone.`;
  site.upstream.plan({ text, chunks: 150 });
  const { page, complaints, settled } = site.tab;
  const toEnd = () =>
    page
      .locator("[role=region][tabindex]")
      .evaluateAll((threads) =>
        Math.max(...threads.map((each) => each.scrollHeight - each.scrollTop - each.clientHeight)),
      );
  await say(page, "Show me.");
  await (await reply(page)).locator(".katex-display").waitFor();
  await expect.poll(toEnd).toBeLessThan(2);
  await page.getByRole("button", { name: "Compare models" }).click();
  await page.reload();
  await page.locator(".katex-display").waitFor();
  await settled();
  await expect.poll(toEnd).toBeLessThan(2);
  expect(await layoutShift(page)).toBeLessThanOrEqual(0.1);
  expect(complaints).toEqual([]);
});

test("PDF and sound are listed with size and tokens, sent as parts of the chat format, named when they are refused, and kept with the chat", async () => {
  const { page } = site;
  // Of a price list that says what goes in.
  await page.route(/\/api\/pricing/, async (route) => {
    const answer = await route.fetch();
    const list = (await answer.json()) as { data: object[] };
    const data = list.data.map((entry) => ({ ...entry, input_modalities: ["text", "image"] }));
    await route.fulfill({ response: answer, json: { ...list, data } });
  });
  await page.reload();
  const file = (name: string, mimeType: string, text = "x") => ({ name, mimeType, buffer: Buffer.from(text) });
  const input = page.locator('input[type="file"]');
  await input.setInputFiles([
    file("report.pdf", "application/pdf", "%PDF-1.4 /Type /Page /Type /Page"),
    file("voice.ogg", "audio/ogg"),
  ]);
  await page.getByText("voice.ogg cannot be sent: audio has to be MP3 or WAV.").waitFor();
  const files = page.getByRole("list", { name: "Files" });
  await files.getByText("1 KB, about 4,000 tokens").waitFor();
  await page.getByText(/^About 4,0\d\d tokens go out/).waitFor();
  await input.setInputFiles([file("voice.mp3", "audio/mpeg")]);
  await page.getByText("gpt-4o-mini does not read files like voice.mp3.").waitFor();
  await page.getByRole("textbox", { name: "Message" }).evaluate((box) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["second"], "dropped.pdf", { type: "application/pdf" }));
    box.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
  });
  await files.getByText("dropped.pdf").waitFor();
  await page.getByRole("button", { name: "Remove dropped.pdf" }).click();
  await say(page, "Sum it up");
  await reply(page);
  const messages = site.asked()[0]?.["messages"] as { content: unknown }[];
  const data = Buffer.from("%PDF-1.4 /Type /Page /Type /Page").toString("base64");
  expect(messages.at(-1)?.content).toEqual([
    { type: "text", text: "Sum it up" },
    { type: "file", file: { filename: "report.pdf", file_data: `data:application/pdf;base64,${data}` } },
  ]);
  await page.reload();
  await page.getByRole("article", { name: "You" }).getByText("report.pdf").waitFor();
  await say(page, "And again");
  await reply(page, 2);
  expect(JSON.stringify(site.asked().at(-1)?.["messages"])).toContain(data);
});
