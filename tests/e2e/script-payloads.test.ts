/** A hundred script payloads, in the short form one of each kind, in every text that administrators read of others: drawn as letters, nothing of them runs. */
import { plantIdentity } from "../support/systems/identity-console.ts";
import type { Insertable } from "kysely";
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BLANK_ENTRY, logRow } from "../../server/src/billing/log-row.ts";
import { LOG_TYPE } from "../../contract/src/constants.ts";
import type { LogEntry } from "../../server/src/billing/billing.ts";
import { nameColumns, NEW_USER } from "../../server/src/db/new-user.ts";
import { insertReturningId } from "../../server/src/db/portable.ts";
import type { TaskTable } from "../../server/src/db/task-table.ts";
import { bumpVersion } from "../../server/src/db/versions.ts";
import { newTask } from "../support/databases/tasks.ts";
import { IS_SHORT } from "../support/soak/short-or-long.ts";
import { logInOn, openContext, openPage, startBrowser, WEB_DIRECTORY } from "../support/systems/browser.ts";
import { ROOT_PASSWORD, setUp, startTestServer, type TestServer } from "../support/systems/server.ts";

/** Each would call this function of the page, were it more than letters. */
const RUN = "ran()";
const ALERTS = [RUN, "window.ran()", "top.ran()", "eval('ran()')", "self['ran']()"];
const FRAMES = [
  (code: string) => `<script>${code}</script>`,
  (code: string) => `<ScRiPt>${code}</sCrIpT>`,
  (code: string) => `<img src=x onerror=${code}>`,
  (code: string) => `<img src=x onerror="${code}">`,
  (code: string) => `<svg onload=${code}>`,
  (code: string) => `<svg><script>${code}</script></svg>`,
  (code: string) => `"><script>${code}</script>`,
  (code: string) => `'><img src=x onerror='${code}'>`,
  (code: string) => `</title><script>${code}</script>`,
  (code: string) => `</textarea><svg/onload=${code}>`,
  (code: string) => `<iframe srcdoc="<script>parent.${code}</script>"></iframe>`,
  (code: string) => `<a href="javascript:${code}" autofocus onfocus="${code}">x</a>`,
  (code: string) => `<input autofocus onfocus=${code}>`,
  (code: string) => `<details open ontoggle=${code}>`,
  (code: string) => `<video><source onerror=${code}></video>`,
  (code: string) => `<body onload=${code}>`,
  (code: string) => `javascript:${code}`,
  (code: string) => `{{constructor.constructor('${code.replaceAll("'", '"')}')()}}`,
  (code: string) => `\${${code}}`,
  (code: string) => `<math><mi xlink:href="javascript:${code}">x</mi></math>`,
];
/** In the short form one of each kind: the other calls differ in nothing that a page looks at. */
const CALLED = IS_SHORT ? ALERTS.slice(0, 1) : ALERTS;
const PAYLOADS = CALLED.flatMap((code) => FRAMES.map((frame) => frame(code)));

let server: TestServer;
let browser: Browser;
let context: BrowserContext;

/** A row of the log in which every text is the payload. */
const entryOf = (text: string, index: number, userId: number): LogEntry => ({
  ...BLANK_ENTRY,
  type: index % 2 === 0 ? LOG_TYPE.consumption : LOG_TYPE.error,
  requestId: `payload-${index}`,
  createdAt: Math.floor(Date.now() / 1000),
  userId,
  username: text,
  tokenName: text,
  modelName: text,
  groupName: text,
  content: text,
  ip: "203.0.113.7",
  other: JSON.stringify({
    error_code: text,
    endpoint: text,
    upstream_model_name: text,
    admin_info: { tried: [{ id: 1, name: text, reason: text }] },
  }),
});

/** A drawing, a song, lyrics or a video in which every text is the payload, addresses too; half of them have failed. */
function taskOf(text: string, index: number, userId: number): Insertable<TaskTable> {
  const [platform, action] = [
    ["mj", text],
    ["suno", "MUSIC"],
    ["suno", "LYRICS"],
    ["video", text],
  ][(index + Math.floor(index / FRAMES.length)) % 4] as [string, string]; // so that each kind meets every frame
  const data = {
    mj: { prompt_en: text, description: text, buttons: [{ label: text }], properties: { finalPrompt: text } },
    suno:
      action === "MUSIC"
        ? [{ id: text, title: text, audio_url: text, metadata: { tags: text } }]
        : { title: text, text },
    video: { url: text },
  }[platform];
  return {
    ...newTask(userId),
    platform,
    action: action.slice(0, 60),
    task_id: text,
    request_id: `payload-${index}`,
    model: text,
    status: index % 8 < 4 ? "SUCCESS" : "FAILURE",
    prompt: text,
    fail_reason: text,
    result_url: text,
    submit_time_ms: Date.now() - index,
    data: JSON.stringify(data),
  };
}

/** Into the database beside the API, which refuses such names: an import may have brought them. */
async function plant(): Promise<void> {
  const { database, snapshot } = server.app.foundation;
  await database.kysely.transaction().execute(async (transaction) => {
    for (const [index, text] of PAYLOADS.entries()) {
      const userId = await insertReturningId(database, transaction, "users", {
        ...NEW_USER,
        ...nameColumns(text.slice(0, 60) + index),
        display_name: text.slice(0, 64),
        group_name: text.slice(0, 60),
        email: text.slice(0, 100) + index,
        aff_code: `p${index}`,
        changed_version: await bumpVersion(transaction, "users"),
      });
      await plantIdentity(transaction, userId, "github", text.slice(0, 60) + index);
      await transaction
        .insertInto("logs")
        .values(logRow(entryOf(text, index, userId)))
        .execute();
      await transaction
        .insertInto("tasks")
        .values(taskOf(text, index, userId))
        .execute();
    }
  });
  await snapshot.refresh();
}

beforeAll(async () => {
  server = await startTestServer({}, { webDirectory: WEB_DIRECTORY });
  await setUp(server);
  await plant();
  browser = await startBrowser();
  context = await openContext(browser);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

test(`${PAYLOADS.length} payloads run nowhere on the pages of an administrator`, async () => {
  expect(new Set(PAYLOADS).size).toBe(IS_SHORT ? 20 : 100);
  const { page, settled } = await openPage(context);
  const ran: string[] = [];
  await page.exposeFunction("ran", () => ran.push(page.url()));
  page.on("dialog", (dialog) => void dialog.dismiss());
  await logInOn(page, server.app.url, "root", ROOT_PASSWORD);
  const first = await server.app.foundation.database.kysely
    .selectFrom("users")
    .select("id")
    .orderBy("id")
    .limit(2)
    .execute();
  for (const address of [
    "/user?size=100",
    ...(IS_SHORT ? [] : ["/user?size=100&p=2"]),
    `/user/edit/${first[1]?.id ?? 0}`,
    "/log?size=100",
    "/detail",
  ]) {
    await page.goto(server.app.url + address);
    await settled();
    expect([address, ran]).toEqual([address, []]);
  }
  await page.goto(`${server.app.url}/user?size=100`);
  await settled();
  // They are there, as letters.
  const text = await page.locator("main").innerText();
  expect(text).toContain("<svg onload=ran()>");
  await page.goto(`${server.app.url}/log?size=100&request_id=payload-2`);
  await settled();
  await expect.poll(() => page.locator("main").innerText()).toContain("<img src=x onerror=ran()>");
  expect(ran).toEqual([]);
  // The trap itself works: what runs is reported.
  await page.evaluate("window.ran()");
  expect(ran).toHaveLength(1);
});

test("nothing of them runs or is fetched in the logs of drawings and tasks, opened or not", async () => {
  const { page, settled } = await openPage(context);
  const ran: string[] = [];
  const fetched: string[] = [];
  await page.exposeFunction("ran", () => ran.push(page.url()));
  page.on("dialog", (dialog) => void dialog.dismiss());
  page.on("request", (request) => {
    if (!request.url().startsWith(server.app.url)) fetched.push(request.url());
  });
  for (const [address, count] of [
    ["/midjourney?size=100", PAYLOADS.length / 4],
    ["/task?size=100", (PAYLOADS.length / 4) * 3],
  ] as const) {
    await page.goto(server.app.url + address);
    await settled();
    const openers = page.locator('main td > button[aria-expanded="false"]');
    await expect.poll(() => openers.count()).toBe(count);
    await openers.evaluateAll((all) => all.forEach((opener) => (opener as HTMLElement).click()));
    await expect.poll(() => openers.count()).toBe(0);
    await settled();
    expect([address, ran, fetched]).toEqual([address, [], []]);
    // They are there, as letters.
    await expect.poll(() => page.locator("main").innerText()).toMatch(/<(?:img|svg)[^>]*ran\(\)/);
  }
  // No player or link has an address that is none.
  const addresses = await page
    .locator("main audio, main video, main a, main img")
    .evaluateAll((all) => all.map((each) => each.getAttribute("src") ?? each.getAttribute("href") ?? ""));
  expect(addresses.filter((text) => !/^(?:\/|https?:)/.test(text))).toEqual([]);
  await page.locator("main tbody").getByRole("button", { name: "Full record" }).first().click();
  await page.getByRole("dialog").locator("pre").waitFor();
  await settled();
  expect([ran, fetched]).toEqual([[], []]);
  await page.evaluate("window.ran()");
  expect(ran).toHaveLength(1);
});
