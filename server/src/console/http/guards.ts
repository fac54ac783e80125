/** Guards that run before a handler, one rule a function; mount.ts calls them in the order of this file. */
import type { Endpoint, RateLimit } from "../../../../contract/src/endpoint.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import { USER_STATUS } from "../../../../contract/src/features/users.ts";
import { ACCESS_ROLE, isRoot, REQUIRED_ACTION_ERRORS, type RequiredAction } from "../../../../contract/src/roles.ts";
import { mayDo } from "../../../../contract/src/permissions.ts";
import { withheld } from "../kit/permitted.ts";
import type { Identity } from "./authenticate.ts";
import { tooManyRequests } from "./envelope.ts";
import type { ConsoleContext, Session } from "./handlers.ts";
import { limitedNetwork } from "../../observe/client-address.ts";
import { isPrivateAddress } from "../../observe/forwarders.ts";
import { FAILURE_LIMIT, NARROW_LIMIT, SHARED_FACTOR, SIGNED_IN_FACTOR } from "./rate-limit.ts";

/** How long a confirmed password counts. */
export const STEP_UP_SECONDS = 600;

export interface OriginInfo {
  host: string | undefined;
  origin: string | undefined;
  fetchSite: string | undefined;
  userHeader: string | undefined;
  /** The caller is known by an access token and sends no cookie. */
  isByToken: boolean;
  /** Option ServerAddress: where a proxy in front of us is reached; "" where unset. */
  serverAddress: string;
}

/** Whom a call is counted against. */
export interface CountedCaller {
  ip: string;
  /** For whom that address says it forwards, by a header that is not believed. */
  claim: string | undefined;
  /** The user of the call's session or access token; undefined for an anonymous caller. */
  identity: Identity | undefined;
}

type LimitContext = Pick<ConsoleContext, "limiter" | "site">;

const OWN_BUCKETS: ReadonlySet<RateLimit> = new Set<RateLimit>(["confirm", "pay", "message", "link"]);

interface Share {
  key: string;
  count: number;
}

/**
 * The rate-limit keys of an anonymous caller: the address, IPv6 by /64. If it sends forwarding headers without being trusted, each forwarded
 * address has a share of its own inside a larger one for the peer: behind a proxy that TRUSTED_PROXIES lacks one client cannot exhaust the limit
 * of all others, and a client that forges the header has no more than that larger share.
 */
function sharesOf(bucket: string, count: number, { ip, claim }: CountedCaller): Share[] {
  const own = `${bucket}:${limitedNetwork(ip)}`;
  if (claim === undefined) return [{ key: own, count }];
  return [
    { key: `${own}|${limitedNetwork(claim)}`, count },
    { key: `${own}|all`, count: count * SHARED_FACTOR },
  ];
}

/**
 * As `sharesOf`, for endpoints that create accounts or send mail: a public address counts as one client, since any client there can forge
 * the header, and a proxy with a public address has to be in TRUSTED_PROXIES.
 */
const narrowShares = (bucket: string, count: number, caller: CountedCaller): Share[] =>
  sharesOf(bucket, count, isPrivateAddress(caller.ip) ? caller : { ...caller, claim: undefined });

/** Gives back what was counted of a call that was no failure. */
export type GiveBack = () => Promise<void>;
const NOTHING_BACK: GiveBack = () => Promise.resolve();

/**
 * The global limit, then the endpoint's own bucket. Throws AppError 429.
 * A known user has a budget of their own, since a whole office may share one address; an unknown or banned one uses the address's.
 * The user header is ignored: it is an unproven claim.
 * @returns what a bucket of failures gives back after a success.
 */
export async function checkRateLimits(
  context: LimitContext & Pick<ConsoleContext, "forwarders">,
  endpoint: Endpoint,
  caller: CountedCaller,
): Promise<GiveBack> {
  const { identity, ip, claim } = caller;
  if (claim !== undefined) context.forwarders.note(ip);
  const { isEnabled, count, durationSeconds } = context.site.globalApiLimit;
  if (isEnabled && endpoint.access !== "signed") {
    const isKnown = identity?.user.status === USER_STATUS.enabled;
    if (isKnown) await countCalls(context, identity.user.id, 1);
    else await takeAll(context, sharesOf("GA", count, caller), durationSeconds);
  }
  const bucket = endpoint.rateLimit ?? "none";
  if (bucket === "none" || (bucket === "login" && claim === undefined)) return NOTHING_BACK;
  if (bucket === "login") return takeFailure(context, caller);
  // Signed-in users are counted by themselves: anonymous callers behind the same address do not block them, nor they each other.
  const isOwn = OWN_BUCKETS.has(bucket) && identity !== undefined;
  const own = { key: `${bucket}:user:${identity?.user.id ?? 0}`, count: NARROW_LIMIT.count };
  await takeAll(
    context,
    isOwn ? [own] : narrowShares(bucket, NARROW_LIMIT.count, caller),
    NARROW_LIMIT.durationSeconds,
  );
  return NOTHING_BACK;
}

/** Counts so many calls against a signed-in user's budget: one that does the work of many counts as many. Throws AppError 429. */
export async function countCalls(context: LimitContext, userId: number, calls: number): Promise<void> {
  const { isEnabled, count, durationSeconds } = context.site.globalApiLimit;
  if (!isEnabled || calls === 0) return;
  await takeAll(context, [{ key: `GU:${userId}`, count: count * SIGNED_IN_FACTOR }], durationSeconds, calls);
}

/** Counted as a failure at once, so that many at a time are not heard before any is counted. */
async function takeFailure(context: LimitContext, caller: CountedCaller): Promise<GiveBack> {
  const { count, durationSeconds } = FAILURE_LIMIT;
  const shares = sharesOf("login", count, caller);
  await takeAll(context, shares, durationSeconds);
  return async () => {
    for (const share of shares) await context.limiter.giveBack(share.key, share.count, durationSeconds);
  };
}

/** The narrower share first: a caller that exceeds it takes nothing of the larger one. */
async function takeAll(
  { limiter }: LimitContext,
  shares: readonly Share[],
  windowSeconds: number,
  amount = 1,
): Promise<void> {
  for (const { key, count } of shares) {
    const decision = await limiter.take(key, count, windowSeconds, amount);
    if (!decision.isAllowed) throw tooManyRequests(decision.retryAfterSeconds);
  }
}

const changesState = (endpoint: Endpoint): boolean => endpoint.method !== "GET" || endpoint.changesState === true;

/**
 * Refuses what another site made the browser send: every change must come from our own pages or from a program. What a browser adds by itself are
 * cookies, so a call that an access token alone proves is left alone: browser extensions make such calls.
 * A GET that changes state must prove it by the user header or a same-origin Sec-Fetch-Site. Throws AppError cross_site or user_header_wanted.
 */
export function checkOrigin(endpoint: Endpoint, facts: OriginInfo): void {
  if (!changesState(endpoint) || endpoint.access === "signed" || endpoint.isProvenByState === true) return;
  if (facts.isByToken) return;
  const isForeignSite = facts.fetchSite !== undefined && !["same-origin", "none"].includes(facts.fetchSite);
  if (isForeignSite || isForeignOrigin(facts)) throw new AppError("cross_site");
  if (endpoint.method !== "GET") return;
  const hasProof = facts.fetchSite === "same-origin" || (facts.userHeader ?? "") !== "";
  if (!hasProof) throw new AppError("user_header_wanted");
}

function isForeignOrigin({ origin, host, serverAddress }: OriginInfo): boolean {
  if (origin === undefined) return false;
  const originHost = URL.parse(origin)?.host;
  if (originHost === undefined || originHost === "") return true;
  return originHost !== host?.toLowerCase() && originHost !== URL.parse(serverAddress)?.host;
}

/** A demo site changes nothing for people below the super administrator. Throws AppError demo_site. */
export function checkDemo(context: ConsoleContext, endpoint: Endpoint, session: Session | undefined): void {
  if (!context.snapshot.options.DemoSiteEnabled || !changesState(endpoint)) return;
  const isOpen = endpoint.openInDemo === true || endpoint.access === "signed";
  if (!isOpen && !isRoot(session?.role ?? 0)) throw new AppError("demo_site");
}

/** Throws AppError permission_denied where the role does not reach. */
export function checkRole(endpoint: Endpoint, session: Session | undefined): void {
  if (endpoint.access === "public" || endpoint.access === "optional" || endpoint.access === "signed") return;
  if ((session?.role ?? 0) < ACCESS_ROLE[endpoint.access]) throw new AppError("permission_denied");
}

/** Throws AppError permission_withheld for an administrator whom the super administrator does not permit this. */
export function checkAct({ access, act }: Endpoint, session: Session | undefined): void {
  if (access !== "admin" || session === undefined) return;
  // An endpoint without an act is open to the super administrator alone: tests/access finds it.
  const isPermitted = act === undefined ? isRoot(session.role) : mayDo(session.user, act);
  if (!isPermitted) throw withheld(act ?? []);
}

const OWN: ReadonlySet<Endpoint["access"]> = new Set(["user", "optional"]);

/** Refuses endpoints closed to access tokens, whatever the owner's role. Throws AppError session_required or access_token_scope. */
export function checkAccessToken(endpoint: Endpoint, session: Session | undefined): void {
  if (session?.scope === undefined) return;
  if (endpoint.sessionOnly === true) throw new AppError("session_required");
  if (session.scope === "admin" || !changesState(endpoint)) return;
  if (session.scope === "read" || !OWN.has(endpoint.access)) throw new AppError("access_token_scope");
}

/** Whether an account that has something to do first may call this meanwhile. */
export const isOpenBefore = ({ openBefore = [] }: Endpoint, action: RequiredAction | undefined): boolean =>
  action === undefined || openBefore.includes(action);

/** Throws AppError password_change_needed or second_factor_needed for everything that has to wait for it. */
export function checkRequiredAction(endpoint: Endpoint, { requiredAction }: Session): void {
  if (requiredAction === undefined || isOpenBefore(endpoint, requiredAction)) return;
  throw new AppError(REQUIRED_ACTION_ERRORS[requiredAction]);
}

/** The same for fields of a body that only some of belong to what has to be done; the first other one is named. */
export function checkRequiredFields({ fieldsBefore }: Endpoint, session: Session | undefined, body: unknown): void {
  const action = session?.requiredAction;
  if (action === undefined || fieldsBefore === undefined || typeof body !== "object" || body === null) return;
  const field = Object.keys(body).find((name) => !fieldsBefore.includes(name));
  if (field !== undefined) throw new AppError(REQUIRED_ACTION_ERRORS[action], { field });
}

/** Throws AppError step_up_required if the identity was not confirmed recently; an access token cannot confirm at all. */
export function checkStepUp(context: ConsoleContext, session: Session | undefined): void {
  const confirmed = session?.sessionId === undefined ? 0 : session.confirmedTime;
  if (confirmed < context.clock() / 1000 - STEP_UP_SECONDS) throw new AppError("step_up_required");
}
