/** A hundred and fifty script payloads as what a model says, thinks, calls and cites, and as names of chat applications: nothing runs, nothing is fetched. */
import { expect, test } from "vitest";
import { playgroundSite, reply, say } from "../support/checks/playground-site.ts";

/** Each would call this function of the page, were it more than letters. */
const ALERTS = ["ran()", "window.ran()", "top.ran()", "eval('ran()')", "self['ran']()"];
const AWAY = "https://evil.example";
const FRAMES = [
  (code: string) => `<script>${code}</script>`,
  (code: string) => `<img src=x onerror="${code}">`,
  (code: string) => `<img src="${AWAY}/p.png?${code}">`,
  (code: string) => `<svg onload=${code}>`,
  (code: string) => `<svg><image href="${AWAY}/s.svg" onload="${code}"/></svg>`,
  (code: string) => `<iframe srcdoc="<script>parent.${code}</script>"></iframe>`,
  (code: string) => `<iframe src="javascript:${code}"></iframe>`,
  (code: string) => `<link rel=stylesheet href="${AWAY}/a.css"><style>@import url(${AWAY}/b.css)</style>${code}`,
  (code: string) => `<base href="${AWAY}/"><form action="javascript:${code}"><button>go</button></form>`,
  (code: string) => `<details open ontoggle=${code}><summary>x</summary></details>`,
  (code: string) => `<math><mi xlink:href="javascript:${code}">x</mi></math>`,
  (code: string) => `<a href="javascript:${code}" autofocus onfocus="${code}">x</a>`,
  (code: string) => `[link](javascript:${code})`,
  (code: string) => `[link](JaVaScRiPt&colon;${code})`,
  (code: string) => `[link](data:text/html,<script>${code}</script>)`,
  (code: string) => `[link](/api/user/token?${encodeURIComponent(code)})`,
  (code: string) => `<javascript:${code}>`,
  (code: string) => `[named][label]\n\n[label]: javascript:${code}`,
  (code: string) => `![picture](${AWAY}/i.png?${encodeURIComponent(code)})`,
  (code: string) => `![picture](javascript:${code})`,
  (code: string) =>
    `![svg](data:image/svg+xml;base64,${btoa(`<svg xmlns="http://www.w3.org/2000/svg" onload="${code}"/>`)})`,
  (code: string) => `![a" onerror="${code}](data:image/png;base64,AAAA)`,
  (code: string) => `\`\`\`html\n<script>${code}</script><img src="${AWAY}/c.png" onerror="${code}">\n\`\`\``,
  (code: string) => `\`\`\`"onload=${code.replaceAll(" ", "")}\n<script>${code}</script>\n\`\`\``,
  (code: string) => String.raw`$\href{javascript:${code}}{x} \url{javascript:${code}}$`,
  (code: string) =>
    String.raw`$$\includegraphics{${AWAY}/k.png} \htmlData{onload=${code}}{x} \htmlStyle{background:url(${AWAY}/l.png)}{x}$$`,
  (code: string) => `| a | b |\n| - | - |\n| <img src=x onerror=${code}> | [x](javascript:${code}) |`,
  (code: string) => `- item <script>${code}</script>\n  > <svg onload=${code}>`,
  (code: string) => `note[^1]\n\n[^1]: <img src=x onerror=${code}> [x](javascript:${code})`,
  (code: string) => `{{constructor.constructor('${code.replaceAll("'", '"')}')()}} \${${code}}`,
];
const PAYLOADS = ALERTS.flatMap((code) => FRAMES.map((frame) => frame(code)));

const site = playgroundSite();

test("150 payloads run nowhere in a chat, and no request leaves for another site", async () => {
  expect(new Set(PAYLOADS).size).toBe(150);
  const chats = PAYLOADS.slice(0, 12).map((name) => ({ [name]: "https://chat.example.test/?key={key}" }));
  expect((await site.root.put("/api/option/", { key: "Chats", value: JSON.stringify(chats) })).body.success).toBe(true);
  const { page, complaints, settled } = site.tab;
  const ran: string[] = [];
  const left: string[] = [];
  await page.exposeFunction("ran", () => ran.push(page.url()));
  page.on("dialog", (dialog) => void dialog.dismiss());
  page.on("request", (request) => {
    if (!request.url().startsWith(site.server.app.url) && !/^(?:data|blob):/.test(request.url()))
      left.push(request.url());
  });
  const halves = [PAYLOADS.slice(0, 75), PAYLOADS.slice(75)];
  for (const [index, half] of halves.entries()) {
    const text = half.join("\n\n");
    const sources = half
      .slice(0, 5)
      .map((url) => ({ type: "url_citation", url_citation: { url: `javascript:${url}`, title: url } }));
    const frames = [{ reasoning_content: text }, { content: text }, { annotations: sources }];
    const calls = half
      .slice(0, 3)
      .map((name, place) => ({ index: place, id: `c${place}`, type: "function", function: { name, arguments: name } }));
    const chunk = (delta: object) =>
      `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "gpt-4o-mini", choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;
    site.upstream.plan({
      rawBody: [
        ...frames.map(chunk),
        ...(index === 1 ? [chunk({ tool_calls: calls })] : []),
        `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "gpt-4o-mini", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\n`,
        "data: [DONE]\n\n",
      ],
    });
    await say(page, half[0] ?? "");
    const last = await reply(page, index + 1);
    await last.getByRole("button", { name: /^Thought/ }).click();
  }
  await page.locator(".katex").first().waitFor();
  await settled();
  // Not innerText: what is not on the screen is not drawn.
  const shown = await page.locator("main").textContent();
  expect(shown).toContain("<svg onload=ran()>");
  expect(
    await page.locator("main").locator("script, iframe, form[action], object, embed, base, style, link").count(),
  ).toBe(0);
  expect(
    await page
      .locator('main a[href^="javascript"], main a[href^="/api"], main [onerror], main [onload], main [onfocus]')
      .count(),
  ).toBe(0);
  // Each link of an answer leads to another site, in a window of its own that knows nothing of this one.
  const links = await page
    .locator("article a:not([href^='/log'])")
    .evaluateAll((all) =>
      all.map((a) => [(a as HTMLAnchorElement).protocol, a.getAttribute("rel"), a.getAttribute("target")]),
    );
  for (const link of links)
    expect(link).toEqual([expect.stringMatching(/^https?:|^mailto:/), "noopener noreferrer", "_blank"]);
  await page.reload();
  await page.locator(".katex").first().waitFor();
  await page.getByRole("button", { name: "Chat apps" }).click();
  await page.getByRole("menuitem").first().waitFor();
  await page.goto(`${site.server.app.url}/chat/0`);
  await page.getByRole("heading").first().waitFor();
  await settled();
  expect({ ran, left }).toEqual({ ran: [], left: [] });
  expect(complaints.filter((each) => /Content Security Policy/.test(each))).toEqual([]);
  // The trap itself works: what runs is reported.
  await page.evaluate("window.ran()");
  expect(ran).toHaveLength(1);
});
