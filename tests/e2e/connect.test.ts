/** The page that connects programs: the values to enter, a one-time install line, a first call that turns green, and a doctor that names faults. */
import { afterAll, beforeEach, expect, test } from "vitest";
import type { TokenRow } from "../../contract/src/features/tokens.ts";
import { sealHashedKey } from "../../server/src/db/secrets.ts";
import { bumpVersion } from "../../server/src/db/versions.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { rootSite } from "../support/checks/root-site.ts";
import {
  clipboardOf,
  DESK,
  findingsOfAnotherLook,
  overflow,
  PHONE,
  seriousFindings,
} from "../support/systems/browser.ts";
import { sha256 } from "../support/old-systems/old-litellm.ts";
import { dataOf, itemsOf } from "../support/systems/site.ts";
import { testInAll } from "../support/soak/test-in-all.ts";

let upstream: FakeUpstream;
let token: TokenRow;

const site = rootSite({
  environment: { ALLOW_PRIVATE_UPSTREAMS: "1" },
  async fill({ root }) {
    upstream = await startFakeUpstream({
      validates: false,
      plan: ({ body }) =>
        body.toString().includes("weather_of")
          ? { toolCalls: [{ name: "weather_of", arguments: "{}" }] }
          : { text: "one, two, three", chunks: 3 },
    });
    await root.post("/api/channel/", {
      name: "main lane",
      type: 1,
      key: "sk-upstream",
      base_url: upstream.url,
      models: "gpt-4o",
      group: "default",
    });
  },
});
afterAll(() => upstream?.close());

beforeEach(async () => {
  await site.page.setViewportSize(DESK);
  const { root } = site;
  for (const { id } of await itemsOf<TokenRow>(root.get("/api/token/?p=1&size=100")))
    await root.send("DELETE", `/api/token/${id}`);
  token = await dataOf<TokenRow>(root.post("/api/token/", { name: "laptop", unlimited_quota: true, expired_time: -1 }));
});

const main = () => site.page.getByRole("main");
const open = (search = "") => site.page.goto(`${site.server.app.url}/connect${search}`);
const call = (path: string, headers: Record<string, string>, body: object) =>
  fetch(site.server.app.url + path, {
    method: "POST",
    headers: { authorization: `Bearer sk-${token.key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

test("a program is chosen, its file, environment and fields carry the key only where they are copied, in each shell", async () => {
  await open();
  await main().getByRole("heading", { name: "Set up Claude Code" }).waitFor();
  await main().getByText("Write this into ~/.claude/settings.json").waitFor();
  await main().getByRole("button", { name: "Windows: PowerShell" }).click();
  await main().getByText("Write this into %USERPROFILE%\\.claude\\settings.json").waitFor();
  await main().getByText("$env:ANTHROPIC_BASE_URL").waitFor();
  expect(await main().textContent()).not.toContain(token.key);
  await main().getByRole("button", { name: "Cursor", exact: true }).click();
  await main().getByRole("button", { name: "Copy OpenAI API Key" }).click();
  await expect.poll(() => clipboardOf(site.page)).toBe(`sk-${token.key}`);
  expect(new URL(site.page.url()).searchParams.get("program")).toBe("cursor");
  for (const size of [DESK, { width: 1024, height: 768 }, PHONE]) {
    await site.page.setViewportSize(size);
    expect(await overflow(site.page)).toBe(0);
    expect(await findingsOfAnotherLook(site.page)).toEqual([]);
    expect(await seriousFindings(site.page)).toEqual([]);
  }
});

test("a link that hands the key over first says to whom, and goes nowhere where that is declined", async () => {
  await open("?program=cherry-studio");
  await site.page.evaluate(() => {
    window.open = (address) => {
      document.title = String(address);
      return null;
    };
  });
  const button = main().getByRole("button", { name: "Open in Cherry Studio" });
  const question = site.page.getByRole("dialog", { name: "Hand the key to cherrystudio://?" });
  await button.click();
  await question.getByRole("button", { name: "Cancel" }).click();
  await question.waitFor({ state: "detached" });
  expect(await site.page.title()).not.toContain("cherrystudio");
  await button.click();
  await question.getByRole("button", { name: "Open and hand over the key" }).click();
  await expect.poll(() => site.page.title()).toMatch(/^cherrystudio:\/\/providers\/api-keys\?v=1&data=/);
});

test("the line that writes the files works once", async () => {
  await open("?program=codex");
  await main().getByRole("button", { name: "Make the line" }).click();
  const line = main().getByText("curl -fsSL '");
  await line.waitFor();
  const address = /'(http[^']+)'/.exec((await line.textContent()) ?? "")?.[1] ?? "";
  const script = await fetch(address);
  expect([script.status, (await script.text()).includes(`sk-${token.key}`)]).toEqual([200, true]);
  expect((await fetch(address)).status).toBe(410);
});

testInAll("of a token whose key only a call brings nothing is shown or copied, until that call came")(async () => {
  const { database, secrets, snapshot } = site.server.app.foundation;
  await database.kysely.transaction().execute(async (transaction) => {
    const changed_version = await bumpVersion(transaction, "tokens");
    const unknown = sealHashedKey(secrets, sha256(`sk-${token.key}`), "");
    await transaction
      .updateTable("tokens")
      .set({ ...unknown, changed_version })
      .where("id", "=", token.id)
      .execute();
  });
  await snapshot.refresh();
  await open("?program=cursor");
  await main().getByText("Shown after its first call", { exact: true }).waitFor();
  await main().getByText("Waiting for the first call of Cursor…").waitFor();
  expect(await main().textContent()).not.toContain("sk-");
  for (const name of ["Copy key", "Copy OpenAI API Key", "Run the doctor"])
    expect(await main().getByRole("button", { name }).count()).toBe(0);
  expect(await seriousFindings(site.page)).toEqual([]);
  const made = await site.root.post(`/api/token/${token.id}/setup`, { program: "codex", shell: "sh", model: "gpt-4o" });
  expect(made.body).toMatchObject({ success: false, code: "invalid_field" });
  await site.page.goto(`${site.server.app.url}/token`);
  await site.page.getByRole("button", { name: "Actions for laptop" }).click();
  expect(await site.page.getByRole("menuitem", { name: "Shown after its first call" }).isDisabled()).toBe(true);
  await open("?program=cursor");
  await main().getByText("Shown after its first call", { exact: true }).waitFor();
  await call("/v1/chat/completions", {}, { model: "gpt-4o", messages: [{ role: "user", content: "hello" }] });
  await main().getByRole("button", { name: "Copy OpenAI API Key" }).click();
  await expect.poll(() => clipboardOf(site.page)).toBe(`sk-${token.key}`);
});

test("it waits for the program's first call, takes no other's for it, and turns green with a way to the receipt", async () => {
  // What the log has by then is from before the page was opened.
  const listed = site.page.waitForResponse((response) => new URL(response.url()).pathname.startsWith("/api/log/self"));
  await open("?program=claude-code");
  await main().getByText("Waiting for the first call of Claude Code…").waitFor();
  await listed;
  const messages = [{ role: "user", content: "hello" }];
  await call("/v1/chat/completions", { "user-agent": "curl/8.0" }, { model: "gpt-4o", messages });
  await main().getByText("A call of this token came from another program: curl.").waitFor();
  await call("/v1/messages", { "user-agent": "claude-cli/2.1.332" }, { model: "gpt-4o", max_tokens: 50, messages });
  await main().getByText("Claude Code is connected").waitFor();
  await main().getByRole("link", { name: "Show its receipt" }).click();
  await site.page.getByText("Cost breakdown").waitFor();
});

testInAll("the doctor says what it costs, plays the calls, links to receipts, and is not taken for the program")(
  async () => {
    await open("?program=codex");
    await main()
      .getByText(/3 of the calls are charged like any other, together at most \$0\.0\d+/)
      .waitFor();
    await main().getByRole("button", { name: "Run the doctor" }).click();
    await main().getByText("Everything that Codex does first works.").waitFor();
    expect(await main().getByRole("link", { name: "Receipt", exact: true }).count()).toBe(3);
    await main().getByText("Waiting for the first call of Codex…").waitFor();
    expect(await seriousFindings(site.page)).toEqual([]);
  },
);

testInAll("the doctor names a key that does not work and a proxy that refuses large requests, and how to mend them")(
  async () => {
    await open("?program=claude-code");
    await main().getByRole("button", { name: "Run the doctor" }).waitFor();
    await site.root.put("/api/token/?status_only=true", { id: token.id, status: 2 });
    await main().getByRole("button", { name: "Run the doctor" }).click();
    await main().getByText("The key is disabled").waitFor();
    await main().getByText("Claude Code does not work yet.").waitFor();
    await site.root.put("/api/token/?status_only=true", { id: token.id, status: 1 });
    await site.page.route("**/v1/messages?beta=true", (route) =>
      (route.request().postData() ?? "").length > 1024
        ? route.fulfill({ status: 413, contentType: "text/html", body: "<html>413</html>" })
        : route.continue(),
    );
    await main().getByRole("button", { name: "Run again" }).click();
    await main().getByText("A proxy refuses large requests").waitFor();
    await main()
      .getByText(/client_max_body_size/)
      .waitFor();
    await site.page.unroute("**/v1/messages?beta=true");
  },
);

testInAll("a refusal without a word or a request id is put down to what stands before the gateway")(async () => {
  await site.page.route("**/v1/**", (route) => route.fulfill({ status: 403, json: {} }));
  await open("?program=claude-code");
  await main().getByRole("button", { name: "Run the doctor" }).click();
  await main().getByText("The answer gives no reason.", { exact: false }).first().waitFor();
  expect(await main().getByText("The words below say why", { exact: false }).count()).toBe(0);
  await site.page.unroute("**/v1/**");
});

testInAll("without a token it leads to making one")(async () => {
  await site.root.send("DELETE", `/api/token/${token.id}`);
  await open();
  await main().getByRole("heading", { name: "Create a token first" }).waitFor();
  await main().getByRole("link", { name: "Create token" }).click();
  await site.page.waitForURL(/\/token\?open=create/);
});
