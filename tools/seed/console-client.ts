/** A small client of the console API: sets a fresh system up, logs in, and makes what a scenario lists, as a browser would. */

export interface Account {
  username: string;
  password: string;
}

export interface ConsoleClient {
  userId: number;
  /** By which its calls are its own. */
  headers: Readonly<Record<string, string>>;
  /** `data` of an answer that must succeed. Throws with the console's message. */
  call(method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: unknown): Promise<unknown>;
}

interface Envelope {
  success: boolean;
  message: string;
  data?: unknown;
}

async function send(url: string, method: string, headers: Record<string, string>, body?: unknown): Promise<Response> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const envelope = (await response.clone().json()) as Envelope;
  if (!envelope.success) throw new Error(`${method} ${url}: ${envelope.message}`);
  return response;
}

/** Answers the wizard at its printed address for an administrator; `isSelfUse` chooses its usage mode. */
export async function setUp(wizard: string, account: Account, isSelfUse: boolean): Promise<void> {
  const { origin, searchParams } = new URL(wizard);
  await send(
    `${origin}/api/setup`,
    "POST",
    {},
    {
      username: account.username,
      password: account.password,
      confirmPassword: account.password,
      SelfUseModeEnabled: isSelfUse,
      DemoSiteEnabled: false,
      code: searchParams.get("code"),
    },
  );
}

/** Logs in and keeps the session. */
export async function logIn(url: string, account: Account): Promise<ConsoleClient> {
  const response = await send(`${url}/api/user/login`, "POST", {}, account);
  const cookie = response.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  const { data } = (await response.json()) as { data: { id: number } };
  const headers = { Cookie: cookie, "New-Api-User": String(data.id) };
  return {
    userId: data.id,
    headers,
    call: async (method, path, body) => {
      const answer = await send(`${url}${path}`, method, headers, body);
      return ((await answer.json()) as Envelope).data;
    },
  };
}
