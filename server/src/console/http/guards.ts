/** What stands between a request and its handler, one rule a function; mount.ts calls them in this file's order. */
import type { Endpoint, RateLimit } from "../../../../contract/src/endpoint.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import { USER_STATUS } from "../../../../contract/src/features/users.ts";
import { ACCESS_ROLE, isRoot } from "../../../../contract/src/roles.ts";
import type { Identity } from "./authenticate.ts";
import { tooManyRequests } from "./envelope.ts";
import type { ConsoleContext, Session } from "./handlers.ts";
import { NARROW_LIMIT, SIGNED_IN_FACTOR } from "./rate-limit.ts";

/** How long a confirmed password counts. */
export const STEP_UP_SECONDS = 600;

export interface OriginInfo {
  host: string | undefined;
  origin: string | undefined;
  fetchSite: string | undefined;
  userHeader: string | undefined;
  /** Option ServerAddress: where a proxy in front of us is reached; "" where unset. */
  serverAddress: string;
}

/** Whom a call is counted against. */
export interface CountedCaller {
  ip: string;
  /** Whose session or access token came with the call; undefined for a stranger. */
  identity: Identity | undefined;
}

const OWN_BUCKETS: ReadonlySet<RateLimit> = new Set<RateLimit>(["confirm", "pay", "message"]);

/**
 * The global limit, then the endpoint's own bucket. Throws AppError 429.
 * Who is known has a budget of their own, since a whole office may share one address; who is not, or is banned, uses up the
 * address's. The user header counts for nothing: it is a claim, and anybody can make it.
 */
export async function checkRateLimits(
  context: ConsoleContext,
  endpoint: Endpoint,
  { ip, identity }: CountedCaller,
): Promise<void> {
  const { isEnabled, count, durationSeconds } = context.site.globalApiLimit;
  if (isEnabled && endpoint.access !== "signed") {
    const isKnown = identity?.user.status === USER_STATUS.enabled;
    if (isKnown) await take(context, `GU:${identity.user.id}`, count * SIGNED_IN_FACTOR, durationSeconds);
    else await take(context, `GA:${ip}`, count, durationSeconds);
  }
  const bucket = endpoint.rateLimit ?? "none";
  if (bucket === "none") return;
  // Who is signed in answers for themselves: strangers behind the same address do not shut them out, nor they each other.
  const owner = OWN_BUCKETS.has(bucket) && identity !== undefined ? `user:${identity.user.id}` : ip;
  await take(context, `${bucket}:${owner}`, NARROW_LIMIT.count, NARROW_LIMIT.durationSeconds);
}

async function take(context: ConsoleContext, key: string, count: number, windowSeconds: number): Promise<void> {
  const decision = await context.limiter.take(key, count, windowSeconds);
  if (!decision.isAllowed) throw tooManyRequests(decision.retryAfterSeconds);
}

const changesState = (endpoint: Endpoint): boolean => endpoint.method !== "GET" || endpoint.changesState === true;

/**
 * Refuses what another site made the browser send: every change must come from our own pages or from a program.
 * A GET that changes state must prove it by the user header or a same-origin Sec-Fetch-Site. Throws AppError cross_site.
 */
export function checkOrigin(endpoint: Endpoint, facts: OriginInfo): void {
  if (!changesState(endpoint) || endpoint.access === "signed" || endpoint.isProvenByState === true) return;
  const isForeignSite = facts.fetchSite !== undefined && !["same-origin", "none"].includes(facts.fetchSite);
  if (isForeignSite || isForeignOrigin(facts)) throw new AppError("cross_site");
  if (endpoint.method !== "GET") return;
  const hasProof = facts.fetchSite === "same-origin" || (facts.userHeader ?? "") !== "";
  if (!hasProof) throw new AppError("cross_site");
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

/** Throws AppError step_up_required where nobody confirmed lately who they are; an access token cannot confirm at all. */
export function checkStepUp(context: ConsoleContext, session: Session | undefined): void {
  const confirmed = session?.sessionId === undefined ? 0 : session.confirmedTime;
  if (confirmed < context.clock() / 1000 - STEP_UP_SECONDS) throw new AppError("step_up_required");
}
