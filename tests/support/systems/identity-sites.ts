/** GitHub, Discord, Linux DO, Feishu, DingTalk, a WeChat server and a plain OAuth 2.0 provider behind one HTTP server, with users that the test invents. */
import { createHash, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The user who signs in there: their profile, in each site's format. */
export interface SitePerson {
  id: number;
  login: string;
  name?: string;
  /** GitHub's list. */
  emails?: readonly { email: string; primary: boolean; verified: boolean }[];
  /** OpenID's claims. */
  claims?: Record<string, unknown>;
  /** The user-info answer of a site without OpenID, and fields that others add to theirs. */
  info?: Record<string, unknown>;
}

interface Grant {
  person: SitePerson;
  challenge: string;
  redirectUri: string;
}

export interface IdentitySites {
  url: string;
  /** The current user of the other site's page. */
  person: SitePerson;
  /** A code as the site's page would give it back. */
  codeFor(person: SitePerson, challenge?: string, redirectUri?: string): string;
  /** Codes that a WeChat account answers, to the openid of who asked. */
  wechat: Map<string, string>;
  /** Every request that came, as method and path. */
  asked: string[];
  close(): Promise<void>;
}

export const SITE_CLIENT = { id: "client-id", secret: "client-secret" } as const;
export const WECHAT_TOKEN = "wechat-token";

async function bodyOf(request: IncomingMessage): Promise<Record<string, string>> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString();
  const isJson = request.headers["content-type"]?.includes("json") === true;
  return isJson ? (JSON.parse(text) as Record<string, string>) : Object.fromEntries(new URLSearchParams(text));
}

const sha = (verifier: string): string => createHash("sha256").update(verifier).digest("base64url");

class Sites {
  person: SitePerson = { id: 1, login: "octocat" };
  readonly wechat = new Map<string, string>();
  readonly asked: string[] = [];
  readonly #codes = new Map<string, Grant>();
  readonly #tokens = new Map<string, SitePerson>();

  codeFor(person: SitePerson, challenge = "", redirectUri = ""): string {
    const code = randomUUID();
    this.#codes.set(code, { person, challenge, redirectUri });
    return code;
  }

  /** Each code counts once, for the client, its verifier and its redirect address. */
  exchange(form: Record<string, string>, authorization: string | undefined): object {
    const basic = `Basic ${Buffer.from(`${SITE_CLIENT.id}:${SITE_CLIENT.secret}`).toString("base64")}`;
    const isClient =
      authorization === basic || (form["client_id"] === SITE_CLIENT.id && form["client_secret"] === SITE_CLIENT.secret);
    const grant = this.#codes.get(form["code"] ?? "");
    this.#codes.delete(form["code"] ?? "");
    const isVerified = grant?.challenge === "" || grant?.challenge === sha(form["code_verifier"] ?? "");
    const isSameAddress =
      grant?.redirectUri === "" || !("redirect_uri" in form) || grant?.redirectUri === form["redirect_uri"];
    if (!isClient || grant === undefined || !isVerified || !isSameAddress) return { error: "bad_verification_code" };
    const token = randomUUID();
    this.#tokens.set(token, grant.person);
    return { access_token: token, token_type: "bearer" };
  }

  /** The site's page, where the user agrees at once. */
  agreed(url: URL): string {
    const back = new URL(url.searchParams.get("redirect_uri") ?? "");
    const challenge = url.searchParams.get("code_challenge") ?? "";
    back.searchParams.set("code", this.codeFor(this.person, challenge, back.href));
    back.searchParams.set("state", url.searchParams.get("state") ?? "");
    return back.href;
  }

  /** DingTalk calls the code otherwise, in its address and in its exchange. */
  agreedAtDingTalk(url: URL): string {
    const back = new URL(this.agreed(url));
    back.searchParams.set("authCode", back.searchParams.get("code") ?? "");
    back.searchParams.delete("code");
    return back.href;
  }

  exchangeAtDingTalk({ clientId = "", clientSecret = "", code = "" }: Record<string, string>): [object, number] {
    const made = this.exchange({ client_id: clientId, client_secret: clientSecret, code }, undefined);
    if (!("access_token" in made)) return [{ code: "invalidParameter.authCode.notFound", message: "no" }, 400];
    return [{ accessToken: made.access_token, expireIn: 7200 }, 200];
  }

  profile(path: string, authorization: string | undefined): unknown {
    const person = this.#tokens.get(authorization?.replace("Bearer ", "") ?? "");
    if (person === undefined) return undefined;
    if (path === "/user/emails") return person.emails ?? [];
    if (path === "/userinfo") return { sub: `sub-${person.id}`, ...person.claims };
    if (path === "/forum/me") return person.info ?? {};
    const { id, login, name } = person;
    if (path.endsWith("/authen/v1/user_info"))
      return {
        code: 0,
        msg: "success",
        data: { open_id: `ou_${id}`, name: name ?? login, en_name: login, ...person.info },
      };
    if (path === "/v1.0/contact/users/me")
      return { unionId: `u${id}`, openId: `o${id}`, nick: name ?? login, ...person.info };
    if (path === "/api/users/@me")
      return { id: String(id), username: login, global_name: name ?? null, ...person.info };
    return path === "/user"
      ? { id, login, name: name ?? null }
      : { id, username: login, name: name ?? "", ...person.info };
  }

  wechatAnswer(url: URL, token: string | undefined): object {
    const openid = this.wechat.get(url.searchParams.get("code") ?? "");
    return token === WECHAT_TOKEN && openid !== undefined
      ? { success: true, message: "", data: openid }
      : { success: false, message: "no", data: "" };
  }
}

async function answer(sites: Sites, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", "http://site.test");
  const { "x-acs-dingtalk-access-token": dingTalkToken, authorization = dingTalkToken as string | undefined } =
    request.headers;
  sites.asked.push(`${request.method} ${url.pathname}`);
  const json = (value: unknown, status = 200) =>
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(value));
  if (url.pathname === "/oauth2/auth")
    return void response.writeHead(302, { Location: sites.agreedAtDingTalk(url) }).end();
  if (url.pathname.endsWith("/authorize")) return void response.writeHead(302, { Location: sites.agreed(url) }).end();
  if (url.pathname === "/redirect") return void response.writeHead(302, { Location: "/user" }).end();
  if (url.pathname === "/large") return void response.end("x".repeat(300 * 1024));
  if (url.pathname === "/v1.0/oauth2/userAccessToken")
    return void json(...sites.exchangeAtDingTalk(await bodyOf(request)));
  if (request.method === "POST") return void json(sites.exchange(await bodyOf(request), authorization));
  if (url.pathname === "/api/wechat/user") return void json(sites.wechatAnswer(url, authorization));
  const profile = sites.profile(url.pathname, authorization);
  return void (profile === undefined ? json({ message: "Bad credentials" }, 401) : json(profile));
}

/** Starts them on a free port. */
export async function startIdentitySites(): Promise<IdentitySites> {
  const sites = new Sites();
  const server = createServer((request, response) => void answer(sites, request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return Object.assign(sites, { url, close });
}
