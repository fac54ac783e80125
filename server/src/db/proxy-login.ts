/** Proxy credentials inside a channel's `setting.proxy`: encrypted at rest for one protocol, host and port, shown as `***`, decrypted for calls alone. */
import type { Kysely, Transaction } from "kysely";
import { parseObject } from "../util/json-read.ts";
import type { Database } from "./database.ts";
import type { Schema } from "./schema.ts";
import type { Secrets } from "./secrets.ts";
import { bumpVersion } from "./versions.ts";

/** Replaces user and password wherever a proxy's address is shown. */
const HIDDEN_LOGIN = "***";

/** A proxy's address as text: the parts before and after the credentials, which end at the last `@`. */
interface ProxyText {
  /** With `//`; "" if there is none. */
  scheme: string;
  /** Undefined if there is none. */
  login: string | undefined;
  place: string;
}

/** The format of `encrypt`, which no real user name has. */
const SEALED = /^v1\.[0-9a-f]{8}\.[\w-]+$/;

const DEFAULT_PORTS: Readonly<Record<string, string>> = {
  "http:": "80",
  "https:": "443",
  "socks:": "1080",
  "socks5:": "1080",
  "socks5h:": "1080",
};

/** Accepts any text: an invalid address may still contain a password. */
function textOf(proxy: string): ProxyText {
  const end = proxy.lastIndexOf("@");
  if (end === -1) return { scheme: "", login: undefined, place: proxy };
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(proxy)?.[0] ?? "";
  return { scheme, login: proxy.slice(scheme.length, end), place: proxy.slice(end + 1) };
}

const joined = ({ scheme, login, place }: ProxyText): string =>
  `${scheme}${login === undefined ? "" : `${login}@`}${place}`;

/** Protocol, host and port, normalised; the text itself if it is no valid address. */
function placeOf({ scheme, place }: ProxyText): string {
  const url = URL.parse(scheme + place);
  if (url === null || url.hostname === "") return scheme + place;
  const { protocol, hostname, port } = url;
  return `${protocol}//${hostname.toLowerCase()}:${port || (DEFAULT_PORTS[protocol] ?? "")}`;
}

/** Binds the credentials to their protocol, host and port, so that a write to the database cannot send them to another server. */
const contextOf = (text: ProxyText): string => `proxy:${placeOf(text)}`;

const isSealed = ({ login }: ProxyText): boolean => login !== undefined && SEALED.test(login);

/** The proxy's address to store. `proxy` is plain text, whatever its credentials look like. */
export function sealProxy(secrets: Secrets, proxy: string): string {
  const text = textOf(proxy);
  if (text.login === undefined) return proxy;
  return joined({ ...text, login: secrets.encrypt(text.login, contextOf(text)) });
}

/** A stored proxy's address, decrypted. Throws if its credentials were encrypted with another key or for another address. */
export function openProxy(secrets: Secrets, stored: string): string {
  const text = textOf(stored);
  if (text.login === undefined || !isSealed(text)) return stored;
  return joined({ ...text, login: secrets.decrypt(text.login, contextOf(text)) });
}

/** A stored proxy's address with masked credentials. */
export function shownProxy(stored: string): string {
  const text = textOf(stored);
  return text.login === undefined ? stored : joined({ ...text, login: HIDDEN_LOGIN });
}

/**
 * A canonical form of a stored proxy for comparison: encrypting the same credentials twice gives different texts. Credentials that cannot
 * be decrypted equal only themselves.
 */
export function meantByProxy(secrets: Secrets, stored: string): string {
  const text = textOf(stored);
  try {
    const { login } = textOf(openProxy(secrets, stored));
    return JSON.stringify([placeOf(text), login ?? ""]);
  } catch {
    return stored;
  }
}

/**
 * The proxy address to store, from an administrator who sees the stored one with `***`: `***` keeps the stored credentials for the same
 * protocol, host and port.
 * @returns undefined if `***`, or one half of it, refers to credentials that are not stored for that address.
 */
export function sentProxy(secrets: Secrets, sent: string, stored: string): string | undefined {
  const text = textOf(sent);
  if (text.login === undefined) return sent;
  if (!text.login.split(":").includes(HIDDEN_LOGIN)) return sealProxy(secrets, sent);
  const known = textOf(stored);
  if (text.login !== HIDDEN_LOGIN || known.login === undefined || placeOf(known) !== placeOf(text)) return undefined;
  const kept = joined({ ...text, login: known.login });
  return isSealed(known) ? kept : sealProxy(secrets, kept);
}

/** The proxy in the text of a channel's setting, "" if there is none; an unreadable setting has none. */
export function proxyIn(setting: string): string {
  const proxy = parseObject(setting)?.["proxy"];
  return typeof proxy === "string" ? proxy : "";
}

/** The text of a channel's setting with its proxy replaced by the result of `change`. Without a proxy the text is unchanged. */
export function withProxy(setting: string, change: (proxy: string) => string): string {
  const fields = parseObject(setting);
  const proxy = fields?.["proxy"];
  return typeof proxy === "string" ? JSON.stringify({ ...fields, proxy: change(proxy) }) : setting;
}

/** Whether a stored setting has plain credentials, as earlier versions wrote them. */
export function hasPlainLogin(setting: string): boolean {
  const text = textOf(proxyIn(setting));
  return text.login !== undefined && !isSealed(text);
}

// At startup: plain proxy credentials of earlier versions are encrypted.

/** Channels that are read, and at most written, in one transaction. */
const CHANNELS_AT_ONCE = 200;

const settings = (queries: Kysely<Schema> | Transaction<Schema>) =>
  queries.selectFrom("channels").select(["id", "setting"]).where("setting", "!=", "").orderBy("id");

/** Encrypts the ones that are still plain once every other writer of channels has committed; returns their number. */
function sealThese({ kysely }: Database, secrets: Secrets, ids: readonly number[]): Promise<number> {
  return kysely.transaction().execute(async (transaction) => {
    // For its lock alone: the channels' meaning does not change, so no process reloads them and no open form is outdated.
    await bumpVersion(transaction, "channels");
    const rows = await settings(transaction)
      .where("id", "in", [...ids])
      .execute();
    const plain = rows.filter(({ setting }) => hasPlainLogin(setting));
    for (const { id, setting } of plain) {
      const sealed = withProxy(setting, (proxy) => sealProxy(secrets, proxy));
      await transaction.updateTable("channels").set({ setting: sealed }).where("id", "=", id).execute();
    }
    return plain.length;
  });
}

/** Encrypts all plain proxy credentials; returns their number. Without any nothing is written. */
export async function sealStoredProxies(database: Database, secrets: Secrets): Promise<number> {
  let sealed = 0;
  for (let afterId = 0; ;) {
    const rows = await settings(database.kysely).where("id", ">", afterId).limit(CHANNELS_AT_ONCE).execute();
    const plain = rows.filter(({ setting }) => hasPlainLogin(setting)).map(({ id }) => id);
    if (plain.length > 0) sealed += await sealThese(database, secrets, plain);
    const last = rows.at(-1);
    if (last === undefined || rows.length < CHANNELS_AT_ONCE) return sealed;
    afterId = last.id;
  }
}
