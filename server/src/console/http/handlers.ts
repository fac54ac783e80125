/** The types of request handlers: the interface between the mount loop and console/<feature>/routes.ts. */
import type { Logger } from "pino";
import type { z } from "zod";
import type { EndpointsOf, FeatureModule, FeatureName } from "../../../../contract/src/api.ts";
import type { RecordSecurityEvent } from "../../../../contract/src/security-events.ts";
import { API } from "../../../../contract/src/api.ts";
import type { Access, Endpoint } from "../../../../contract/src/endpoint.ts";
import type { AccessTokenScope } from "../../../../contract/src/features/personal.ts";
import type { Language } from "../../../../contract/src/notifications.ts";
import type { RequiredAction } from "../../../../contract/src/roles.ts";
import type { Billing } from "../../billing/billing.ts";
import type { Cache } from "../../cache/cache.ts";
import type { Database } from "../../db/database.ts";
import type { Delivery } from "../../notify/deliver.ts";
import type { Secrets } from "../../db/secrets.ts";
import type { Forwarders } from "../../observe/forwarders.ts";
import type { Snapshot, SnapshotUser } from "../../snapshot/snapshot.ts";
import type { Clock } from "../../util/clock.ts";
import type { RateLimiter } from "./rate-limit.ts";
import type { RelayTools } from "../relay-tools.ts";
import type { SystemTools } from "../system/tools.ts";

/** Everything a handler may reach; made once by app.ts. */
export interface ConsoleContext {
  readonly database: Database;
  readonly snapshot: Snapshot;
  readonly billing: Billing;
  readonly secrets: Secrets;
  readonly cache: Cache;
  readonly limiter: RateLimiter;
  readonly logger: Logger;
  readonly relay: RelayTools;
  readonly system: SystemTools;
  readonly site: SiteInfo;
  /** One place for every event of security: a line of the server's log, and a row that its account and the super administrator read. */
  readonly recordSecurityEvent: RecordSecurityEvent;
  /** Peers that forward for others without being trusted with it. */
  readonly forwarders: Forwarders;
  /** Sends a message at once instead of through the outbox. Returns the receiver's response; throws DeliveryFault. */
  readonly deliver: (delivery: Delivery) => Promise<string>;
  /** Whether the first-run wizard is done. */
  isSetupDone(): Promise<boolean>;
  /** Unix milliseconds. */
  clock: Clock;
}

/** Facts of this process that a client may see or the guards need. */
export interface SiteInfo {
  version: string;
  /** Unix seconds. */
  startTime: number;
  /** Unix seconds: over https later sessions have a cookie whose name no other host can set. */
  cookiePrefixSince: number;
  /** Addresses and CIDR ranges whose X-Forwarded-For is believed. */
  trustedProxies: readonly string[];
  /** What the wizard asks for. */
  setupCode: string;
  /** Where the database is, for the wizard: a file, or host and name; never credentials. */
  databasePlace: string;
  /** Servers in the place of other sites, by the address of the real one; only tests have any. */
  standIns: Readonly<Record<string, string>>;
  /** Creates a default token for each new account. */
  givesFirstToken: boolean;
  globalApiLimit: { isEnabled: boolean; count: number; durationSeconds: number };
}

/** Where another site is that signs people in or takes payments. @param address of the real one, without a path */
export const addressOf = ({ standIns }: Pick<SiteInfo, "standIns">, address: string): string =>
  standIns[address] ?? address;

export interface Session {
  user: SnapshotUser;
  role: number;
  /** Look-up hash of the session row; undefined for a call with an access token. */
  sessionId: string | undefined;
  /** Of the access token; undefined for a session. */
  scope: AccessTokenScope | undefined;
  /** Unix seconds of the last password confirmation; 0 never. */
  confirmedTime: number;
  /** The required action; undefined for none. */
  requiredAction: RequiredAction | undefined;
  /** Balance of a member's session, in quota, if it is below the account's threshold; "none" if it is not. Absent for everybody else. */
  lowBalance?: number | "none" | undefined;
  /** An administrator sees what this person sees. */
  isSeen?: true;
}

const masked = <Row extends { key: string }>(row: Row): Row => ({
  ...row,
  key: `${row.key.slice(0, 4)}***${row.key.slice(-4)}`,
});

/**
 * What the own keys are shown as to an access token of the scope `read`: one that may change nothing must not learn what spends. An administrator
 * who sees the console as this person gets no part of one.
 */
export const shownKey = <Row extends { key: string }>(
  { scope, isSeen }: Pick<Session, "scope" | "isSeen">,
  row: Row,
): Row => (isSeen ? { ...row, key: "***" } : scope === "read" ? masked(row) : row);

/** The site's codes: who reads one can redeem it, so of the access tokens those that may do what administrators do see it whole. */
export const shownCode = <Row extends { key: string }>({ scope }: Pick<Session, "scope">, row: Row): Row =>
  scope === undefined || scope === "admin" ? row : masked(row);

export interface RequestFacts {
  /** Of the client, as far as the trusted proxies tell. */
  ip: string;
  /** For whom that address says it forwards, by a header that is not believed: it divides what the address may, and nothing else. */
  claim: string | undefined;
  userAgent: string;
  /** Language of its texts, by Accept-Language. */
  language: Language;
  requestId: string;
  /** The Origin header: where the page is that calls; "" for programs. */
  origin: string;
  /** The browser says that a page of this site calls (Sec-Fetch-Site); programs may claim it. */
  isOwnPage: boolean;
  /** The client's side of the connection is https. */
  isSecure: boolean;
  /** Value of the session cookie, "" where there is none. */
  sessionCookie: string;
  /** It came over https under the name of earlier versions. */
  isUnprefixedCookie: boolean;
  /** Value of the cookie that ties a state of another site's sign-in page to this browser, "" where there is none. */
  flowCookie: string;
  /** The Host header: how the browser reached us. */
  host: string;
}

type SessionFor<Rule extends Access> = Rule extends "user" | "admin" | "root"
  ? Session
  : Rule extends "optional"
    ? Session | undefined
    : undefined;

type OutputOf<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
type InputOf<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined;

type PartsOf<E> =
  E extends Endpoint<infer Params, infer Query, infer Body, infer Data, infer Extra>
    ? { params: Params; query: Query; body: Body; data: Data; extra: Extra }
    : never;

export interface HandlerInput<E extends Endpoint = Endpoint> {
  context: ConsoleContext;
  session: SessionFor<E["access"]>;
  params: OutputOf<PartsOf<E>["params"]>;
  query: OutputOf<PartsOf<E>["query"]>;
  body: OutputOf<PartsOf<E>["body"]>;
  request: RequestFacts;
  /** Of endpoints whose `answerKind` is callback. */
  received: E extends { readonly answerKind: "callback" } ? ReceivedCallback : undefined;
  /** Throws AppError step_up_required unless who it is was confirmed within the last ten minutes. */
  requireStepUp(): void;
}

type Part<Name extends string, Schema> = Schema extends z.ZodUndefined ? unknown : Record<Name, InputOf<Schema>>;

/**
 * What a handler gives: `data` and `extra` where the endpoint declares them; keys its schemas do not name are left out.
 * `success: false` is for an act that was done and ended badly, and still has something to tell (the time of a failed channel test).
 */
type Answer<E extends Endpoint = Endpoint> = Part<"data", PartsOf<E>["data"]> &
  Part<"extra", PartsOf<E>["extra"]> & {
    message?: string;
    headers?: Readonly<Record<string, string>>;
    success?: false;
  };

/** Text that is sent as it is asked for, never faster than the caller reads. */
export interface StreamAnswer {
  stream: AsyncIterable<string>;
  headers?: Readonly<Record<string, string>>;
}

/** A request of another site's program as it came. */
export interface ReceivedCallback {
  /** Behind the `?` of the address, "" where there is nothing. */
  query: string;
  /** As text in UTF-8; "" of a GET. */
  body: string;
  /** First value of a header, "" where it is absent. */
  header(name: string): string;
}

/** The answer to the other site's program; undefined where the path is to be one that does not exist. */
export interface CallbackAnswer {
  reply: { status: 200 | 400 | 409 | 503; text: string } | undefined;
}

/** Where the browser is led: a path of this site. */
export interface RedirectAnswer {
  location: `/${string}`;
  headers?: Readonly<Record<string, string>>;
}

type AnswerOf<E extends Endpoint> = E extends { readonly answerKind: "stream" }
  ? StreamAnswer
  : E extends { readonly answerKind: "redirect" }
    ? RedirectAnswer
    : E extends { readonly answerKind: "callback" }
      ? CallbackAnswer
      : Answer<E>;

type Handler<E extends Endpoint = Endpoint> = (input: HandlerInput<E>) => Promise<AnswerOf<E>> | AnswerOf<E>;

export type HandlersOf<Module> = {
  [Name in keyof EndpointsOf<Module>]: EndpointsOf<Module>[Name] extends Endpoint
    ? Handler<EndpointsOf<Module>[Name]>
    : never;
};

/** A handler as the mount loop calls it: the endpoint's schemas have parsed what goes in and encode what comes out. */
export type AnyHandler = (input: HandlerInput) => Promise<AnyAnswer> | AnyAnswer;

export interface AnyAnswer {
  data?: unknown;
  extra?: unknown;
  message?: string;
  headers?: Readonly<Record<string, string>>;
  success?: false;
  /** Of endpoints whose `answerKind` is stream, and then nothing else but headers. */
  stream?: AsyncIterable<string>;
  /** Of endpoints whose `answerKind` is redirect. */
  location?: string;
  /** Of endpoints whose `answerKind` is callback. */
  reply?: CallbackAnswer["reply"];
}

export interface FeatureHandlers {
  feature: FeatureName;
  handlers: Readonly<Record<string, AnyHandler>>;
}

/**
 * Ties a feature's endpoints to their handlers, one for each, under the same name.
 * Throws at the start where one is missing or has no endpoint.
 */
export function defineHandlers<Feature extends FeatureName>(
  feature: Feature,
  handlers: HandlersOf<FeatureModule<Feature>>,
): FeatureHandlers {
  const names = Object.keys(API[feature]);
  const given = Object.keys(handlers);
  const missing = names.filter((name) => !given.includes(name));
  const unknown = given.filter((name) => !names.includes(name));
  if (missing.length > 0) throw new Error(`Feature ${feature} has no handler for ${missing.join(", ")}`);
  if (unknown.length > 0) throw new Error(`Feature ${feature} has handlers without an endpoint: ${unknown.join(", ")}`);
  // The mapped type above has checked each handler against its endpoint; the loop knows only that the schemas stand between.
  return { feature, handlers: handlers as Readonly<Record<string, unknown>> as Readonly<Record<string, AnyHandler>> };
}
