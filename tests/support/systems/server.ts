/** A whole server on a free port and a temporary folder, and a client with a cookie jar, for tests. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApp } from "../../../server/src/app.ts";
import type { RunningApp, StartOptions } from "../../../server/src/app.ts";
import { readConfig } from "../../../server/src/config.ts";
import { createLogger } from "../../../server/src/observe/logger.ts";
import { copySqliteTemplate } from "../databases/templates.ts";

export interface TestServer {
  app: RunningApp;
  client(): TestClient;
  stop(): Promise<void>;
}

/** What an answer was, its body read. */
export interface TestAnswer {
  status: number;
  headers: Headers;
  body: { success: boolean; message: string; data?: unknown; code?: string; field?: string };
}

export interface TestRequest {
  body?: unknown;
  headers?: Record<string, string>;
}

export const ROOT_PASSWORD = "correct horse 1";

/** Starts a server; `environment` overrides the test's own (limits off, so that tests do not wait). */
export async function startTestServer(
  environment: Record<string, string> = {},
  options: StartOptions = {},
): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), "turnpike-test-"));
  await copySqliteTemplate(folder);
  const config = readConfig({
    PORT: "0",
    DATA_DIR: folder,
    GLOBAL_API_RATE_LIMIT_ENABLE: "false",
    SHUTDOWN_GRACE_SECONDS: "2",
    ...environment,
  });
  const logger = createLogger({ level: "silent" });
  const app = await startApp(config, { logger, webDirectory: join(folder, "no-web"), pollMs: 50, ...options });
  return {
    app,
    client: () => new TestClient(app.url),
    async stop() {
      await app.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export class TestClient {
  readonly #url: string;
  cookie = "";
  userId = 0;

  constructor(url: string) {
    this.#url = url;
  }

  /** Sends JSON with this client's cookie and user header and reads the answer. */
  async send(method: string, path: string, { body, headers = {} }: TestRequest = {}): Promise<TestAnswer> {
    const response = await fetch(this.#url + path, {
      method,
      redirect: "manual",
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(this.cookie === "" ? {} : { cookie: this.cookie }),
        ...(this.userId === 0 ? {} : { "new-api-user": String(this.userId) }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const setCookie = response.headers.get("set-cookie")?.split(";")[0];
    if (setCookie !== undefined) this.cookie = setCookie;
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: JSON.parse(text) as TestAnswer["body"] };
  }

  get = (path: string, request?: TestRequest): Promise<TestAnswer> => this.send("GET", path, request);
  post = (path: string, body?: unknown, request: TestRequest = {}): Promise<TestAnswer> =>
    this.send("POST", path, { ...request, ...(body === undefined ? {} : { body }) });
  put = (path: string, body: unknown, request: TestRequest = {}): Promise<TestAnswer> =>
    this.send("PUT", path, { ...request, body });

  /** Logs in and remembers who it is. */
  async login(username: string, password: string): Promise<TestAnswer> {
    const answer = await this.post("/api/user/login", { username, password });
    if (answer.body.success) this.userId = (answer.body.data as { id: number }).id;
    return answer;
  }
}

/** The code that the printed address of the wizard carries; "" once the system is set up. */
export async function setupCodeOf(app: RunningApp): Promise<string> {
  const address = await app.setupUrl();
  return address === undefined ? "" : (new URL(address).searchParams.get("code") ?? "");
}

/** The wizard's form with the code that the server printed, complete. */
export const setupForm = async (app: RunningApp, change: Record<string, unknown> = {}) => ({
  username: "root",
  password: ROOT_PASSWORD,
  confirmPassword: ROOT_PASSWORD,
  SelfUseModeEnabled: false,
  DemoSiteEnabled: false,
  code: await setupCodeOf(app),
  ...change,
});

/** A client that is logged in as the super administrator of a server set up just now. */
export async function setUp(server: TestServer, change: Record<string, unknown> = {}): Promise<TestClient> {
  const client = server.client();
  const answer = await client.post("/api/setup", await setupForm(server.app, change));
  if (!answer.body.success) throw new Error(answer.body.message);
  await client.login("root", ROOT_PASSWORD);
  return client;
}

/** Gives an account a second factor: a passkey without a device, so that nothing is asked for while none is demanded. */
export async function addFactor({ app }: Pick<TestServer, "app">, user_id: number): Promise<void> {
  const id = `passkey-of-${user_id}`;
  const row = { user_id, credential_hash: id, credential_id: id, name: "key", public_key: "", counter: 0 };
  await app.foundation.database.kysely
    .insertInto("passkeys")
    .values({ ...row, transports: "", is_backed_up: 0, created_time: 1, used_time: 0 })
    .execute();
}
