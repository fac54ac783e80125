/** Image tasks of a Midjourney proxy: every action and answer, options, ownership, and charges. */
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { IMAGE_MODELS } from "../../contract/src/tasks.ts";
import { type FakeProxy, PROXY_SECRET, startFakeProxy } from "../fake-upstream/tasks/midjourney-proxy.ts";
import { type TestWorker, startWorker } from "../support/relay/worker.ts";
import { until } from "../support/systems/processes.ts";
import { FOREIGN_ADDRESSES } from "../support/tasks/foreign-addresses.ts";
import { type TaskPerson, type TaskSite, startTaskSite } from "../support/tasks/task-site.ts";

const TENTH = 50_000;
const QUOTA = 10_000_000;
let proxy: FakeProxy;
let site: TaskSite;
let ada: TaskPerson;

beforeAll(async () => {
  proxy = await startFakeProxy();
  const models = Object.values(IMAGE_MODELS);
  const plus: readonly string[] = ["swap_face", "mj_upload", "mj_shorten"];
  site = await startTaskSite([
    { type: 2, url: proxy.url, key: PROXY_SECRET, models: models.filter((model) => !plus.includes(model)) },
    { type: 5, url: proxy.url, key: PROXY_SECRET, models: plus },
  ]);
  ada = await site.person();
});
afterAll(async () => {
  await site.audited();
  await site.close();
  await proxy.close();
});
afterEach(() => {
  proxy.broken = undefined;
  proxy.next = undefined;
});

type Answer = { http: number; code?: number; description?: string; result?: unknown } & Record<string, unknown>;
const read = async (answer: Promise<Response>): Promise<Answer> => {
  const response = await answer;
  return { ...((await response.json()) as Record<string, unknown>), http: response.status };
};
const submit = (verb: string, body: unknown, person = ada): Promise<Answer> =>
  read(site.post(`/mj/${verb}`, person, body));
const view = (id: string, person = ada): Promise<Answer> => read(site.get(`/mj/task/${id}/fetch`, person));
const lastTask = async () => (await site.tasks()).at(-1);
const PICTURE = "data:image/png;base64,iVBORw0KGgo=";

/** A picture of Ada's that is done. */
async function done(person = ada, imageUrl = "https://cdn.example.com/a.png"): Promise<string> {
  const { result } = await submit("submit/imagine", { prompt: "a cat" }, person);
  proxy.change(String(result), { status: "SUCCESS", progress: "100%", imageUrl });
  await site.poll();
  return String(result);
}

test("every action is charged by its own model, once its proxy took it; each mode leads to the same paths", async () => {
  const taskId = await done();
  const customId = (part: string): object => ({ taskId, customId: `MJ::JOB::${part}::1::0c266431-26c6-47fa-bfee` });
  const cases: readonly (readonly [verb: string, body: object, action: string, quota: number])[] = [
    ["submit/imagine", { prompt: "a dog --fast" }, "IMAGINE", TENTH],
    ["submit/shorten", { prompt: "a long dog" }, "SHORTEN", TENTH],
    ["submit/describe", { base64: PICTURE }, "DESCRIBE", TENTH / 2],
    ["submit/blend", { base64Array: [PICTURE, PICTURE] }, "BLEND", TENTH],
    ["submit/upload-discord-images", { base64Array: [PICTURE] }, "UPLOAD", TENTH / 2],
    ["submit/change", { taskId, action: "UPSCALE", index: 2 }, "UPSCALE", TENTH / 2],
    ["submit/change", { taskId, action: "REROLL" }, "REROLL", TENTH],
    ["submit/simple-change", { content: `${taskId} v3` }, "VARIATION", TENTH],
    ["submit/action", customId("upsample"), "UPSCALE", TENTH / 2],
    ["submit/action", customId("high_variation"), "HIGH_VARIATION", TENTH],
    ["submit/action", customId("low_variation"), "LOW_VARIATION", TENTH],
    ["submit/action", customId("pan_left"), "PAN", TENTH],
    ["submit/action", { taskId, customId: "MJ::Outpaint::50::1::abc::SOLO" }, "ZOOM", TENTH],
    ["submit/action", { taskId, customId: "MJ::CustomZoom::abc" }, "CUSTOM_ZOOM", 0],
    ["submit/action", { taskId, customId: "MJ::Inpaint::1::abc::SOLO" }, "INPAINT", 0],
    ["submit/modal", { taskId, prompt: "a hat" }, "MODAL", TENTH],
    ["submit/edits", { image: PICTURE, prompt: "a hat" }, "EDITS", TENTH],
    ["submit/video", { image: PICTURE, motion: "low" }, "VIDEO", 8 * TENTH],
    ["insight-face/swap", { sourceBase64: PICTURE, targetBase64: PICTURE }, "SWAP_FACE", TENTH / 2],
  ];
  const prefixes = ["", "/mj-fast", "/mj-relax", "/mj-turbo"];
  let spent = (await site.left(ada)).quota;
  for (const [index, [verb, body, action, quota]] of cases.entries()) {
    const answer = await read(site.post(`${prefixes[index % prefixes.length] ?? ""}/mj/${verb}`, ada, body));
    expect([verb, answer.http, answer.code]).toEqual([verb, 200, 1]);
    const task = await lastTask();
    expect(task).toMatchObject({ platform: "mj", action, quota, charge: "charged", code: 1, user_id: ada.userId });
    expect(proxy.requests.at(-1)?.path).toBe(`/mj/${verb}`);
    expect([action, spent - (await site.left(ada)).quota]).toEqual([action, quota]);
    spent -= quota;
  }
  expect(new Set(cases.map(([, , action]) => action))).toEqual(new Set(Object.keys(IMAGE_MODELS)));
  expect(await lastTask()).toMatchObject({ status: "SUBMITTED" });
});

test("codes 21 and 22 are accepted; windows keep their 21; what is refused costs nothing and says why", async () => {
  const taskId = await done();
  const { quota } = await site.left(ada);
  const finished = { status: "SUCCESS", imageUrl: "https://cdn.example.com/b.png" };
  proxy.next = { body: { code: 21, description: "exists", result: "777", properties: finished } };
  expect(await submit("submit/imagine", { prompt: "again" })).toMatchObject({ code: 1, result: "777" });
  expect(await lastTask()).toMatchObject({ status: "SUCCESS", progress: 100, code: 21, charge: "charged" });
  proxy.next = { body: { code: 22, description: "queued", result: "778", properties: {} } };
  expect(await submit("submit/imagine", { prompt: "again" })).toMatchObject({ code: 1, result: "778" });
  proxy.next = { body: { code: 21, description: "window", result: "779", properties: {} } };
  const zoom = { taskId, customId: "MJ::CustomZoom::abc" };
  expect(await submit("submit/action", zoom)).toMatchObject({ code: 21, result: "779" });
  expect(await lastTask()).toMatchObject({ status: "MODAL", code: 21 });
  expect((await site.left(ada)).quota).toBe(quota - 2 * TENTH);
  proxy.next = { body: { code: 24, description: "banned prompt", properties: { bannedWord: "gore" } } };
  const banned = await submit("submit/imagine", { prompt: "gore" });
  expect(banned).toMatchObject({ http: 200, code: 24, properties: { bannedWord: "gore" } });
  expect(await lastTask()).toMatchObject({
    status: "FAILURE",
    fail_reason: "banned prompt",
    charge: "uncharged",
    code: 24,
  });
  for (const code of [3, 23, 30]) {
    proxy.next = { body: { code, description: "busy" } };
    expect(await submit("submit/imagine", { prompt: "x" })).toMatchObject({ http: 503, code });
  }
  proxy.next = { body: "<html>no</html>" };
  expect(await submit("submit/imagine", { prompt: "x" })).toMatchObject({ http: 502, code: 4 });
  expect(await lastTask()).toMatchObject({ status: "FAILURE", fail_code: "not_accepted", next_poll_time: 0 });
  proxy.next = { status: 500, body: { message: "boom" } };
  const { http } = await submit("submit/imagine", { prompt: "x" });
  expect([http, await lastTask()]).toMatchObject([500, { fail_reason: "boom", fail_code: "" }]);
  expect((await site.left(ada)).quota).toBe(quota - 2 * TENTH);
});

test("what no proxy would take is refused before anything is held", async () => {
  const bad: readonly (readonly [verb: string, body: object, word: string])[] = [
    ["submit/imagine", { prompt: " " }, "prompt_empty"],
    ["submit/describe", {}, "base64_required"],
    ["submit/blend", { base64Array: [PICTURE] }, "base64Array_required"],
    ["submit/change", { taskId: "1", action: "PAN" }, "unknown_action"],
    ["submit/change", { taskId: "1", action: "UPSCALE", index: 9 }, "index_invalid"],
    ["submit/simple-change", { content: "1 x9" }, "unknown_action"],
    ["submit/action", { taskId: "1", customId: "MJ::JOB::dance::1" }, "unknown_action"],
    ["submit/action", { customId: "MJ::JOB::reroll::1" }, "taskId_required"],
    ["submit/change", { taskId: "404", action: "REROLL" }, "task_not_found"],
    ["insight-face/swap", { sourceBase64: PICTURE }, "targetBase64_required"],
  ];
  const before = proxy.requests.length;
  for (const [verb, body, word] of bad) {
    const answer = await submit(verb, body);
    expect([verb, answer.http, answer.code, answer["result"]]).toEqual([verb, 400, 4, word]);
  }
  expect(proxy.requests.length).toBe(before);
});

test("balance, token quota, the token's models, and a site without image tasks refuse a task", async () => {
  const poor = await site.person({ quota: TENTH - 1 });
  expect(await submit("submit/imagine", { prompt: "x" }, poor)).toMatchObject({
    http: 403,
    result: "quota_not_enough",
  });
  const limited = await site.person({ tokenQuota: TENTH + 1 });
  expect(await submit("submit/imagine", { prompt: "x" }, limited)).toMatchObject({ code: 1 });
  expect(await site.left(limited)).toMatchObject({ token: 1, used: TENTH });
  expect(await submit("submit/imagine", { prompt: "x" }, limited)).toMatchObject({
    http: 403,
    result: "quota_not_enough",
  });
  const narrow = await site.person({ limits: "mj_imagine" });
  const picture = await done(narrow);
  expect(await submit("submit/describe", { base64: PICTURE }, narrow)).toMatchObject({ http: 403 });
  const reroll = { taskId: picture, action: "REROLL" };
  expect(await submit("submit/change", reroll, narrow)).toMatchObject({ http: 403, result: "model_not_allowed" });
  expect((await view(picture, narrow)).http).toBe(200);
  await site.option("DrawingEnabled", "false");
  expect(await submit("submit/imagine", { prompt: "x" })).toMatchObject({ http: 403, result: "tasks_disabled" });
  await site.option("DrawingEnabled", "true");
  expect((await fetch(`${site.app.url}/mj/submit/imagine`, { method: "POST", body: "{}" })).status).toBe(401);
  const header = { "mj-api-secret": ada.headers["authorization"]?.slice("Bearer ".length) ?? "" };
  const own = await fetch(`${site.app.url}/mj/task/${picture}/fetch`, { headers: header });
  expect(await own.json()).toMatchObject({ code: 4 });
});

test("a task is its owner's: for all others each address answers as if there were none", async () => {
  const [id, eve] = [await done(), await site.person()];
  const strange = async (taskId: string) => [
    await view(taskId, eve),
    await read(site.get(`/mj/task/${taskId}/image-seed`, eve)),
    await read(site.get(`/mj/image/${taskId}`, eve)),
    await submit("submit/change", { taskId, action: "REROLL" }, eve),
    await submit("submit/modal", { taskId }, eve),
    await read(site.post("/mj/notify", eve, { id: taskId, status: "FAILURE" })),
    await read(site.post("/mj/task/list-by-condition", eve, { ids: [taskId] })),
  ];
  const bare = (answers: Answer[]): string => JSON.stringify(answers).replaceAll(/request id: [^)]+/g, "");
  expect(bare(await strange(id))).toBe(bare(await strange("999")));
  expect(await view(id)).toMatchObject({ status: "SUCCESS", action: "IMAGINE", prompt: "a cat", progress: "100%" });
  const many = (await (await site.post("/mj/task/list-by-condition", ada, { ids: [id, "999"] })).json()) as object[];
  expect(many).toMatchObject([{ id, status: "SUCCESS" }]);
  expect(await read(site.get(`/mj/task/${id}/image-seed`, ada))).toMatchObject({ code: 1, result: "1234567890" });
  expect((await read(site.get("/mj/nothing", ada))).code).toBe(4);
});

test("MjAccountFilterEnabled and MjModeClearEnabled decide which parts of a request are passed on", async () => {
  const body = { prompt: "a cat --turbo --ar 1:1 --fast", accountFilter: { modes: ["FAST"] }, state: "mine" };
  await submit("submit/imagine", body);
  expect(proxy.requests.at(-1)?.fields).toEqual({ prompt: body.prompt, state: "mine" });
  await site.option("MjAccountFilterEnabled", "true");
  await site.option("MjModeClearEnabled", "true");
  await submit("submit/imagine", body);
  expect(proxy.requests.at(-1)?.fields).toEqual({ ...body, prompt: "a cat --ar 1:1" });
  await site.option("MjAccountFilterEnabled", "false");
  await site.option("MjModeClearEnabled", "false");
});

test("MjActionCheckSuccessEnabled refuses actions on an unfinished picture; a deleted channel is not replaced by another", async () => {
  const { result } = await submit("submit/imagine", { prompt: "x" });
  const reroll = { taskId: result, action: "REROLL" };
  expect(await submit("submit/change", reroll)).toMatchObject({ http: 400, result: "task_status_not_success" });
  await site.option("MjActionCheckSuccessEnabled", "false");
  expect(await submit("submit/change", reroll)).toMatchObject({ code: 1 });
  expect(await lastTask()).toMatchObject({ action: "REROLL", prompt: "x" });
  await site.option("MjActionCheckSuccessEnabled", "true");
  expect(await submit("submit/modal", { taskId: result })).toMatchObject({ code: 1 });
});

test("MjForwardUrlEnabled serves pictures through this site, at unguessable addresses", async () => {
  await site.option("ServerAddress", site.app.url);
  const id = await done();
  const url = String((await view(id))["imageUrl"]);
  expect(url).toMatch(new RegExp(`^${site.app.url}/mj/image/${id}\\?sign=[\\w-]{22}$`));
  await site.option("MjForwardUrlEnabled", "false");
  expect((await view(id))["imageUrl"]).toBe("https://cdn.example.com/a.png");
  await site.option("MjForwardUrlEnabled", "true");
  const wrong = url.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
  expect((await fetch(wrong)).status).toBe(400);
  expect((await fetch(`${site.app.url}/mj/image/${id}`)).status).toBe(401);
});

test("no picture is fetched from private, reserved or strange addresses", async () => {
  const id = await done();
  const { database } = site.app.foundation;
  const before = proxy.requests.length;
  const refused: string[] = [];
  const own = `${proxy.url}/mj/task/${id}/fetch`;
  const addresses = [...FOREIGN_ADDRESSES, own];
  for (const result_url of addresses) {
    await database.kysely.updateTable("tasks").set({ result_url }).where("task_id", "=", id).execute();
    const answer = await read(site.get(`/mj/image/${id}`, ada));
    if (answer.http === 502 && answer["result"] === "picture_unavailable") refused.push(result_url);
  }
  expect(refused).toEqual(addresses);
  expect(refused.length).toBeGreaterThan(60);
  expect(proxy.requests.length).toBe(before);
});

test("notices come to an address of the one task, where MjNotifyEnabled says so, and its owner is notified", async () => {
  await submit("submit/imagine", { prompt: "x", notifyHook: "https://me.example.com/hook" });
  expect(proxy.requests.at(-1)?.fields).toEqual({ prompt: "x" });
  await site.option("MjNotifyEnabled", "true");
  const { result } = await submit("submit/imagine", { prompt: "x", notifyHook: "https://me.example.com/hook" });
  const hook = String(proxy.requests.at(-1)?.fields["notifyHook"]);
  expect(hook).toMatch(/\/mj\/notify\/[\w-]{32}$/);
  const id = String(result);
  proxy.change(id, { status: "IN_PROGRESS", progress: "30%" });
  expect((await proxy.notify(id)).status).toBe(200);
  expect(await view(id)).toMatchObject({ status: "IN_PROGRESS", progress: "30%" });
  const forged = await fetch(hook.replace(/.{8}$/, "AAAAAAAA"), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ id, status: "FAILURE" }),
  });
  expect(forged.status).toBe(400);
  // The secret of one task says nothing of another.
  const other = await done();
  const crossed = await fetch(hook, { method: "POST", body: JSON.stringify({ id: other, status: "FAILURE" }) });
  expect(crossed.status).toBe(400);
  const { quota } = await site.left(ada);
  // A caller's own report that it failed causes a poll of the upstream, and no refund.
  expect(await read(site.post("/mj/notify", ada, { id, status: "FAILURE" }))).toMatchObject({ code: 1 });
  expect(await view(id)).toMatchObject({ status: "IN_PROGRESS" });
  proxy.change(id, { status: "FAILURE", failReason: "moderated" });
  const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await proxy.notify(id)).status));
  expect(new Set(statuses)).toEqual(new Set([200]));
  await site.poll();
  expect(await view(id)).toMatchObject({ status: "FAILURE", failReason: "moderated", progress: "100%" });
  expect((await site.left(ada)).quota).toBe(quota + TENTH);
  for (const notifyHook of ["ftp://x", "https://me@x.example", "https://:secret@x.example"])
    expect(await submit("submit/imagine", { prompt: "x", notifyHook })).toMatchObject({ http: 400 });
  await site.option("MjNotifyEnabled", "false");
  expect((await proxy.notify(id)).status).toBe(404);
  expect(QUOTA).toBeGreaterThan(quota);
});

/** A worker of the site's, which reaches what users name in this site's place: there is no public address in a test. */
async function withWorker(work: (worker: TestWorker) => Promise<void>): Promise<void> {
  const worker = await startWorker("k3y", (url) => url);
  await site.option("WorkerValidKey", "k3y");
  await site.option("WorkerUrl", worker.url);
  try {
    await work(worker);
  } finally {
    await site.option("WorkerUrl", "");
    await worker.close();
  }
}

test("a picture has the bytes and the kind that it is, regardless of its server's headers, and what is none is not passed on", () =>
  withWorker(async (worker) => {
    const url = "https://9.9.9.9/a.png";
    const id = await done(ada, url);
    const ask = (): Promise<Response> => site.get(`/mj/image/${id}`, ada);
    const bytes = (text: string): Buffer => Buffer.from(`${text}\0\u00ff and the rest`, "latin1");
    const shown = {
      "image/png": "\u0089PNG\r\n\u001a\n",
      "image/jpeg": "\u00ff\u00d8\u00ff",
      "image/webp": "RIFF0000WEBP",
    };
    for (const [type, start] of Object.entries(shown)) {
      worker.answer = (_request, response) =>
        void response.writeHead(200, { "content-type": "text/html" }).end(bytes(start));
      const answer = await ask();
      const headers = ["content-type", "x-content-type-options", "content-security-policy", "cache-control"];
      expect([answer.status, ...headers.map((name) => answer.headers.get(name))]).toEqual([
        200,
        type,
        "nosniff",
        "sandbox; default-src 'none'",
        "private, max-age=86400, immutable",
      ]);
      expect(Buffer.from(await answer.arrayBuffer()).equals(bytes(start))).toBe(true);
    }
    expect(new Set(worker.tasks.map((task) => task.url))).toEqual(new Set([url]));
    const refused: readonly (readonly [headers: Record<string, string>, body: string, status?: number])[] = [
      [{ "content-type": "image/svg+xml" }, "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"],
      [{ "content-type": "image/png" }, "<html><script>alert(1)</script></html>"],
      [{ "content-type": "application/pdf" }, "%PDF-1.7"],
      [{ "content-type": "image/png", "content-length": String(21 * 1024 * 1024) }, ""],
      [{ location: "https://10.0.0.1/a.png" }, "", 302],
      [{ "content-type": "image/png" }, "\u0089PNG\r\n\u001a\n", 404],
    ];
    const asked = worker.tasks.length;
    for (const [headers, body, status = 200] of refused) {
      worker.answer = (_request, response) =>
        void response.writeHead(status, headers).write(body, () => response.end());
      const answer = await read(ask());
      expect([headers, answer.http, answer["result"]]).toEqual([headers, 502, "picture_unavailable"]);
    }
    expect(worker.tasks.length).toBe(asked + refused.length);
    // Another's sign opens nothing.
    const [own, other] = [await view(id), await view(await done())].map(({ imageUrl }) => new URL(String(imageUrl)));
    if (own !== undefined && other !== undefined) own.search = other.search;
    expect((await fetch(String(own))).status).toBe(400);
  }));

test("an owner's notifyHook gets each change once, at public addresses alone, without data of the channel", () =>
  withWorker(async (worker) => {
    await site.option("MjNotifyEnabled", "true");
    worker.answer = (_request, response) => void response.writeHead(204).end();
    const hooked = async (notifyHook: string): Promise<string> =>
      String((await submit("submit/imagine", { prompt: "x", notifyHook })).result);
    const id = await hooked("https://9.9.9.9/hook?mine=1");
    const sent = () => worker.tasks.filter(({ url }) => url.startsWith("https://9.9.9.9/hook"));
    for (const change of [
      { status: "IN_PROGRESS", progress: "30%" },
      { status: "IN_PROGRESS", progress: "60%" },
      { status: "FAILURE", failReason: "moderated" },
    ]) {
      proxy.change(id, change);
      await Promise.all([proxy.notify(id), proxy.notify(id)]);
    }
    await until(() => sent().length >= 3, "three messages to the owner");
    expect(sent().map(({ url, method }) => [url, method])).toEqual(
      sent().map(() => ["https://9.9.9.9/hook?mine=1", "POST"]),
    );
    const bodies = sent().map(({ body }) => body as Record<string, unknown>);
    expect(bodies).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id, status: "IN_PROGRESS", progress: "30%", prompt: "x" }),
        expect.objectContaining({ id, status: "IN_PROGRESS", progress: "60%" }),
        expect.objectContaining({ id, status: "FAILURE", progress: "100%", failReason: "moderated" }),
      ]),
    );
    expect(JSON.stringify(bodies)).not.toContain(PROXY_SECRET);
    expect(JSON.stringify(bodies)).not.toContain("/mj/notify/");

    // Changes found by the poller are sent as well.
    const polled = await hooked("https://9.9.9.9/polled");
    proxy.change(polled, { status: "SUCCESS", imageUrl: "https://cdn.example.com/p.png" });
    await site.poll();
    expect(site.notified.map(({ url, body }) => [url, (JSON.parse(body) as { id: string }).id])).toEqual([
      ["https://9.9.9.9/polled", polled],
    ]);

    const before = [worker.tasks.length, proxy.requests.length];
    const inside = await hooked(`${proxy.url}/mj/submit/imagine`);
    proxy.change(inside, { status: "IN_PROGRESS", progress: "5%" });
    expect((await proxy.notify(inside)).status).toBe(200);
    await site.option("WorkerUrl", "");
    proxy.change(inside, { status: "IN_PROGRESS", progress: "6%" });
    expect((await proxy.notify(inside)).status).toBe(200);
    expect(await view(inside)).toMatchObject({ progress: "6%" });
    expect([worker.tasks.length, proxy.requests.length]).toEqual([before[0], (before[1] ?? 0) + 1]);
    await site.option("MjNotifyEnabled", "false");
  }));
