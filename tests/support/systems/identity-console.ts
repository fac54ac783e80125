/** A console whose sign-in sites are servers of the test, with options set and visitors who come and go, for tests. */
import type { Engine } from "../../../server/src/db/database.ts";
import { type Queries, upsert } from "../../../server/src/db/portable.ts";
import { insertIdentity } from "../../../server/src/console/identity-store.ts";
import { sealOption } from "../../../server/src/db/secrets.ts";
import { bumpVersion } from "../../../server/src/db/versions.ts";
import { fetchGuarded } from "../../../server/src/composition/guarded-fetch.ts";
import { createUpstreamClient } from "../../../server/src/upstream/client.ts";
import { isOptionName, optionDefinition } from "../../../contract/src/options/options.ts";
import { openTestConsole } from "./console.ts";
import type { Caller, TestConsole } from "./console.ts";
import { SITE_CLIENT, startIdentitySites, WECHAT_TOKEN } from "./identity-sites.ts";
import type { IdentitySites, SitePerson } from "./identity-sites.ts";
import { Visitor } from "./visitor.ts";

export const BOT_TOKEN = "1234567890:bot-token-of-the-test";

export interface IdentityConsole {
  site: TestConsole;
  sites: IdentitySites;
  /** Whether private addresses may be reached: true until the test says otherwise. */
  policy: { allowsPrivate: boolean };
  /** Added to the console's clock. */
  clock: { aheadMs: number };
  set(options: Readonly<Record<string, string>>): Promise<void>;
  visitor(person?: Pick<Caller, "cookie" | "userId">): Visitor;
  /** Goes through a site's page: state, page, and back with a code. Gives what came back in the address. */
  goThrough(visitor: Visitor, provider: string, person: SitePerson, asked?: object): Promise<Record<string, string>>;
  /** The same, and ends it. */
  signIn(visitor: Visitor, provider: string, person: SitePerson, asked?: object): ReturnType<Visitor["post"]>;
  close(): Promise<void>;
}

const optionsFor = (url: string): Record<string, string> => ({
  GitHubOAuthEnabled: "true",
  GitHubClientId: SITE_CLIENT.id,
  GitHubClientSecret: SITE_CLIENT.secret,
  LinuxDOOAuthEnabled: "true",
  LinuxDOClientId: SITE_CLIENT.id,
  LinuxDOClientSecret: SITE_CLIENT.secret,
  "discord.enabled": "true",
  "discord.client_id": SITE_CLIENT.id,
  "discord.client_secret": SITE_CLIENT.secret,
  LarkAuthEnabled: "true",
  LarkClientId: SITE_CLIENT.id,
  LarkClientSecret: SITE_CLIENT.secret,
  DingTalkAuthEnabled: "true",
  DingTalkClientId: SITE_CLIENT.id,
  DingTalkClientSecret: SITE_CLIENT.secret,
  WeChatAuthEnabled: "true",
  WeChatServerAddress: url,
  WeChatServerToken: WECHAT_TOKEN,
  TelegramOAuthEnabled: "true",
  TelegramBotToken: BOT_TOKEN,
  TelegramBotName: "bot",
  "oidc.enabled": "true",
  "oidc.client_id": SITE_CLIENT.id,
  "oidc.client_secret": SITE_CLIENT.secret,
  "oidc.authorization_endpoint": `${url}/authorize`,
  "oidc.token_endpoint": `${url}/token`,
  "oidc.user_info_endpoint": `${url}/userinfo`,
});

/** Binds an identity as a sign-in does that the site has no name for. */
export const plantIdentity = (queries: Queries, user_id: number, provider: string, subject: string): Promise<void> =>
  insertIdentity(queries, { provider, subject, user_id, login: "", created_time: 1 });

/** Opens it with every way switched on. */
export async function openIdentityConsole(engine: Engine): Promise<IdentityConsole> {
  const sites = await startIdentitySites();
  const policy = { allowsPrivate: true };
  const clock = { aheadMs: 0 };
  const upstream = createUpstreamClient({ allowsPrivate: () => policy.allowsPrivate, connectTimeoutMs: 2_000 });
  const fetching = { fetchGuarded: (request: Parameters<typeof fetchGuarded>[1]) => fetchGuarded(upstream, request) };
  const site = await openTestConsole(engine, fetching, () => Date.now() + clock.aheadMs);
  site.context.site.standIns = {
    "https://github.com": sites.url,
    "https://api.github.com": sites.url,
    "https://connect.linux.do": sites.url,
    "https://discord.com": sites.url,
    "https://accounts.feishu.cn": sites.url,
    "https://open.feishu.cn": sites.url,
    "https://accounts.larksuite.com": `${sites.url}/lark`,
    "https://open.larksuite.com": `${sites.url}/lark`,
    "https://login.dingtalk.com": sites.url,
    "https://api.dingtalk.com": sites.url,
  };
  // The limit of attempts is another test's matter.
  Object.assign(site.context, { limiter: { take: () => Promise.resolve({ isAllowed: true, retryAfterSeconds: 0 }) } });
  const set: IdentityConsole["set"] = async (options) => {
    const { database, secrets, snapshot } = site.foundation;
    await database.kysely.transaction().execute(async (transaction) => {
      await bumpVersion(transaction, "options");
      for (const [name, text] of Object.entries(options)) {
        if (!isOptionName(name)) throw new Error(`no option ${name}`);
        const value = optionDefinition(name).isSecret ? sealOption(secrets, name, text) : text;
        await upsert(database, transaction, "options", { name, value, updated_time: 1 }, ["name"], { value });
      }
    });
    await snapshot.refresh();
  };
  await set(optionsFor(sites.url));
  const goThrough: IdentityConsole["goThrough"] = async (visitor, provider, person, asked = {}) => {
    const begun = await visitor.post("/api/oauth/state", { provider, ...asked });
    if (!begun.body.success) throw new Error(begun.body.message);
    sites.person = person;
    const page = await fetch(String(begun.body["authorize_url"]), { redirect: "manual" });
    return Object.fromEntries(new URL(page.headers.get("location") ?? "").searchParams);
  };
  return {
    site,
    sites,
    policy,
    clock,
    set,
    visitor: (person) => (person === undefined ? new Visitor(site.url) : new Visitor(site.url).as(person)),
    goThrough,
    signIn: async (visitor, provider, person, asked) =>
      visitor.post(`/api/oauth/${provider}`, await goThrough(visitor, provider, person, asked)),
    async close() {
      await site.close();
      await upstream.close();
      await sites.close();
    },
  };
}
