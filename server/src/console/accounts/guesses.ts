/** Brute-force protection for passwords and codes, shared by all processes: `guard` runs one check, or says how long to wait. Wrong guesses are counted in Redis if it is configured, else in the table `guesses`. */
import { foldName } from "../../../../contract/src/names.ts";
import type { SecurityEventKind } from "../../../../contract/src/security-events.ts";
import type { Cache } from "../../cache/cache.ts";
import { affectedRows, insertOrIgnore } from "../../db/portable.ts";
import { clientNetwork, limitedNetwork } from "../../observe/client-address.ts";
import { tooManyRequests } from "../http/envelope.ts";
import type { ConsoleContext, RequestFacts } from "../http/handlers.ts";
import { SHARED_FACTOR } from "../http/rate-limit.ts";

interface GuessBucket {
  /** At most 128 characters. */
  key: string;
  /** Failures that wait for nothing. */
  free: number;
}

interface Count {
  failures: number;
  /** Milliseconds until the next guess may come; 0 now. */
  waitMs: number;
}

interface GuessCounters {
  /** How each of these buckets stands, in their order. */
  read(buckets: readonly GuessBucket[]): Promise<Count[]>;
  fail(bucket: GuessBucket): Promise<void>;
  clear(bucket: GuessBucket): Promise<void>;
}

type CountingContext = Pick<ConsoleContext, "database" | "cache" | "clock">;

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
const FORGET_AFTER_SECONDS = 15 * 60;

/** The wait after so many failures. */
const waitAfter = (failures: number, free: number): number =>
  failures < free ? 0 : Math.min(FIRST_WAIT_MS * 2 ** (failures - free), LONGEST_WAIT_MS);

const guessCounters = (context: CountingContext): GuessCounters =>
  context.cache.isShared ? cacheCounters(context.cache) : tableCounters(context);

/** Forgotten a quarter of an hour after the first failure. The wait is a counter of its own that ends when it does. */
function cacheCounters(cache: Cache): GuessCounters {
  const failuresOf = (key: string, amount: number) =>
    cache.increment(`guesses:${key}`, FORGET_AFTER_SECONDS, Number.MAX_SAFE_INTEGER, amount);
  const waitOf = (key: string, seconds: number, amount: number) =>
    cache.increment(`guess_wait:${key}`, seconds, 1, amount);
  const readOne = async ({ key }: GuessBucket): Promise<Count> => {
    const [{ count: failures }, wait] = await Promise.all([failuresOf(key, 0), waitOf(key, 1, 0)]);
    return { failures, waitMs: wait.count > 0 ? Math.max(0, wait.resetMs) : 0 };
  };
  return {
    read: (buckets) => Promise.all(buckets.map(readOne)),
    async fail({ key, free }) {
      const { count } = await failuresOf(key, 1);
      const waitMs = waitAfter(count, free);
      if (waitMs > 0) await waitOf(key, Math.ceil(waitMs / 1000), 1);
    },
    async clear({ key }) {
      const { count } = await failuresOf(key, 0);
      if (count > 0) await failuresOf(key, -count);
    },
  };
}

/** Forgotten a quarter of an hour after the last failure. */
function tableCounters({ database, clock }: CountingContext): GuessCounters {
  const { kysely } = database;
  const forgotten = () => clock() - FORGET_AFTER_SECONDS * 1000;
  /** False where the bucket has no row yet. */
  const raise = async (bucket: string): Promise<boolean> => {
    const changed = await kysely
      .updateTable("guesses")
      .set((row) => ({
        failures: row
          .case()
          .when("last_time_ms", "<", forgotten())
          .then(1)
          .else(row("failures", "+", 1))
          .end(),
        last_time_ms: clock(),
      }))
      .where("bucket", "=", bucket)
      .executeTakeFirstOrThrow();
    return affectedRows(changed) === 1;
  };
  return {
    async read(buckets) {
      const keys = buckets.map(({ key }) => key);
      const rows = await kysely
        .selectFrom("guesses")
        .selectAll()
        .where("bucket", "in", keys)
        .where("last_time_ms", ">=", forgotten())
        .execute();
      const known = new Map(rows.map((row) => [row.bucket, row]));
      return buckets.map(({ key, free }) => {
        const { failures, last_time_ms } = known.get(key) ?? { failures: 0, last_time_ms: 0 };
        return { failures, waitMs: Math.max(0, last_time_ms + waitAfter(failures, free) - clock()) };
      });
    },
    async fail({ key }) {
      if (await raise(key)) return;
      const row = { bucket: key, failures: 1, last_time_ms: clock() };
      if (!(await insertOrIgnore(database, kysely, "guesses", row))) await raise(key);
    },
    async clear({ key }) {
      await kysely.deleteFrom("guesses").where("bucket", "=", key).execute();
    },
  };
}

/**
 * The kinds of secrets that are guessed; each has its own counter. `step_up` is the confirmation of a signed-in user: attackers
 * without a session cannot exhaust it.
 */
const GUESS_KINDS = ["login", "step_up", "second_step", "email_code", "redemption", "wechat_code"] as const;
type GuessKind = (typeof GUESS_KINDS)[number];

/** Where a guess comes from. */
export interface Guesser extends Pick<RequestFacts, "ip" | "claim"> {
  /** Stands for the network of a guess that comes from no client of ours: people behind one service do not hold up each other. */
  network?: string;
}

export interface Guess extends Guesser {
  kind: GuessKind;
  /** The account: the name that was typed, known or not, or the id of an account. Names that fold to the same count as one. */
  account: string;
  /** The account's id where there is one: it knows the networks where it signed in before. */
  userId?: number | undefined;
}

/** Wrong guesses in a row that wait for nothing; from there each doubles the wait, from a second up to a minute. */
export const FREE_GUESSES = {
  /** One network at one account. */
  own: 5,
  /** All networks at one account. A network where the account signed in before is not held up by it. */
  account: 20,
  /** One network at all accounts, an office among them. The same exception. */
  network: 50,
} as const;

interface Buckets {
  own: GuessBucket;
  account: GuessBucket;
  /** Of all accounts together. */
  networks: readonly GuessBucket[];
}

export type GuardContext = CountingContext & Pick<ConsoleContext, "secrets" | "recordSecurityEvent">;

/**
 * Behind a proxy that is not a trusted one all clients have one network: there each that it forwards for is counted, and all of them with a wider bound,
 * for any client can make the header up. What comes without the header counts by its network, whatever else came from it.
 */
function networksOf(kind: GuessKind, network: string, claim: string | undefined): GuessBucket[] {
  const key = `${kind}@${network}`;
  if (claim === undefined) return [{ key, free: FREE_GUESSES.network }];
  return [
    { key: `${key}|${limitedNetwork(claim)}`, free: FREE_GUESSES.network },
    { key: `${key}|all`, free: FREE_GUESSES.network * SHARED_FACTOR },
  ];
}

/** Names are hashed: a password may have been typed into the field of the name. */
function bucketsOf({ secrets }: GuardContext, guess: Guess): Buckets {
  const { kind, account, ip, claim } = guess;
  const who = secrets.hash("guess", foldName(account));
  const network = guess.network ?? clientNetwork(ip);
  return {
    own: { key: `${kind}:${who}@${network}`, free: FREE_GUESSES.own },
    account: { key: `${kind}:${who}`, free: FREE_GUESSES.account },
    networks: networksOf(kind, network, claim),
  };
}

/** Asked for names without an account too, as user 0: the time reveals nothing. */
async function isKnownNetwork({ database }: GuardContext, { userId = 0, ip }: Guess): Promise<boolean> {
  const row = await database.kysely
    .selectFrom("known_networks")
    .select("user_id")
    .where("user_id", "=", userId)
    .where("network", "=", clientNetwork(ip))
    .executeTakeFirst();
  return row !== undefined;
}

interface Standing {
  waitMs: number;
  /** Failures are counted for this account and network. */
  hasFailed: boolean;
}

async function standingOf(context: GuardContext, guess: Guess, buckets: Buckets): Promise<Standing> {
  const [own, ...others] = await guessCounters(context).read([buckets.own, buckets.account, ...buckets.networks]);
  const ownMs = own?.waitMs ?? 0;
  const othersMs = Math.max(...others.map(({ waitMs }) => waitMs));
  const isHeldUp = othersMs > 0 && !(await isKnownNetwork(context, guess));
  return { waitMs: isHeldUp ? Math.max(ownMs, othersMs) : ownMs, hasFailed: (own?.failures ?? 0) > 0 };
}

const FAILED: Readonly<Record<GuessKind, SecurityEventKind>> = {
  login: "sign_in_failed",
  step_up: "confirmation_failed",
  second_step: "second_step_failed",
  email_code: "code_failed",
  redemption: "code_failed",
  wechat_code: "code_failed",
};

function record(context: GuardContext, kind: SecurityEventKind, { kind: reason, userId = 0, ip }: Guess): void {
  context.recordSecurityEvent({ kind, userId, ip, reason });
}

function refuseWaiting(context: GuardContext, guess: Guess, { waitMs }: Standing): void {
  if (waitMs <= 0) return;
  record(context, "locked_out", guess);
  throw tooManyRequests(Math.ceil(waitMs / 1000));
}

/**
 * Forgets wrong guesses at an account, by whatever name they were made. Without a shared cache those of single networks too; with one these
 * wait on, at most a minute.
 * @param accounts what may have been typed: user name, e-mail address, id
 */
export async function forgetGuesses(
  context: CountingContext & Pick<GuardContext, "secrets">,
  accounts: readonly string[],
): Promise<void> {
  const counters = guessCounters(context);
  for (const account of accounts) {
    const who = context.secrets.hash("guess", foldName(account));
    for (const kind of GUESS_KINDS) {
      await counters.clear({ key: `${kind}:${who}`, free: FREE_GUESSES.account });
      if (context.cache.isShared) continue;
      // A hash has no wildcard but the underscore, which stands for itself too.
      await context.database.kysely.deleteFrom("guesses").where("bucket", "like", `${kind}:${who}@%`).execute();
    }
  }
}

/** Guesses at one account stand in line, one line for each in each running server: many sent at once are not checked before any is counted. */
const lines = new WeakMap<object, Map<string, Promise<void>>>();

async function inLine<Result>(server: object, key: string, work: () => Promise<Result>): Promise<Result> {
  const line = lines.get(server) ?? new Map<string, Promise<void>>();
  lines.set(server, line);
  const mine = (line.get(key) ?? Promise.resolve()).then(work);
  const ended = mine.then(
    () => undefined,
    () => undefined,
  );
  line.set(key, ended);
  try {
    return await mine;
  } finally {
    if (line.get(key) === ended) line.delete(key);
  }
}

/**
 * Runs `check` unless this guess has to wait, and counts it where it was wrong.
 * @example
 *     const account = await guard(context, { kind: "login", account: name, userId, ip, claim }, () => rightAccount());
 *     if (account === undefined) throw new AppError("login_failed");
 * @param check gives what the guesser gets, and undefined for a wrong guess. It takes the same time whether the account is there or not.
 * @returns what `check` gave.
 * @throws AppError too_many_requests with the seconds to wait; what `check` throws, which counts as no guess.
 */
export async function guard<Result>(
  context: GuardContext,
  guess: Guess,
  check: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  const buckets = bucketsOf(context, guess);
  return inLine(context.cache, buckets.account.key, () => judge(context, guess, buckets, check));
}

async function judge<Result>(
  context: GuardContext,
  guess: Guess,
  buckets: Buckets,
  check: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  const counters = guessCounters(context);
  refuseWaiting(context, guess, await standingOf(context, guess, buckets));
  const result = await check();
  // Where other processes or accounts made the wait begin meanwhile, this guess gets that wait, right or wrong.
  const after = await standingOf(context, guess, buckets);
  refuseWaiting(context, guess, after);
  if (result === undefined) {
    record(context, FAILED[guess.kind], guess);
    for (const bucket of [buckets.own, buckets.account, ...buckets.networks]) await counters.fail(bucket);
  }
  // Only what this person got wrong is forgiven: signing in to one's own account frees no guesses at others'.
  else if (after.hasFailed) await counters.clear(buckets.own);
  return result;
}
