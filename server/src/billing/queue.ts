/** The settlement queue with natural batching: each transaction takes all entries that queued while the previous one committed; entries that time out are journaled. */
import { setTimeout as delay } from "node:timers/promises";
import { endsWithin } from "../util/deadline.ts";
import type { LedgerFigures, SettleOutcome } from "./billing.ts";
import { type LedgerEntry, batchLength } from "./ledger-entry.ts";
import { isDiskError, type LedgerBackend, type LedgerLogger } from "./engines/backend.ts";
import type { Journal } from "./journal.ts";
import { UnsyncedBatches } from "./unsynced-batches.ts";

export interface QueueOptions {
  backend: LedgerBackend;
  journal: Journal;
  log: LedgerLogger;
  /** A settlement older than this goes to the journal. */
  journalAfterMs: number;
  /** A caller that waits longer than this gets the result that the entry is pending. */
  answerAfterMs: number;
  /** How long a caller waits for the disk once the operating system has its entry; of no effect where a commit waits for both. */
  answerWaitMs: number;
  /** Commits a write, and waits until the disk has it and all before. Throws if the database refuses it. */
  probe(): Promise<void>;
  /** Stores an entry that every database refuses; resolves when it is on the disk. */
  keepRefused(entry: LedgerEntry, error: unknown): Promise<void>;
}

interface Entry {
  ledgerEntry: LedgerEntry;
  queuedAtMs: number;
  /** When it goes to the journal, if it was not posted. */
  journalAtMs: number;
  hasFailed: boolean;
  /** Posted, or on its way to the journal. */
  isDone: boolean;
  isPosted: boolean;
  resolve: (outcome: SettleOutcome) => void;
  reject: (error: unknown) => void;
}

interface RefusedEntry {
  ledgerEntry: LedgerEntry;
  error: unknown;
}

const WATCH_EVERY_MS = 100;
const RETRY_AFTER_MS = 100;
const MAX_RETRY_AFTER_MS = 1_600;

/** How long a shutdown waits for a database that commits, and then for a disk. */
const CLOSE_WAIT_MS = 1_000;
const CLOSE_JOURNAL_MS = 1_000;

/** Log rows of failed calls that are kept in memory while the database is unavailable; a kilobyte each. */
const MAX_WAITING_LOGS = 10_000;

const isMoney = (entry: Entry): boolean => entry.ledgerEntry.ledger !== undefined && !entry.isDone;
const isLogAlone = ({ ledger, hold }: LedgerEntry): boolean => ledger === undefined && hold === undefined;

/** The fields of an entry in the server's log. */
const infoOf = ({ ledger, hold }: LedgerEntry) => ({
  requestId: ledger?.entryId ?? hold?.id,
  userId: ledger?.userId ?? hold?.userId,
  quota: ledger?.usedDelta,
});

export class PostingQueue {
  readonly #options: QueueOptions;
  readonly #watch: NodeJS.Timeout;
  #waiting: Entry[] = [];
  #inFlight: Entry[] = [];
  readonly #journaling = new Set<Entry>();
  readonly #unsynced: UnsyncedBatches;
  #refused: RefusedEntry[] = [];
  /** Appended to the journal since it was empty. */
  #journaled = 0;
  #failures = 0;
  #isRunning = false;
  #isHealthy = true;
  #isJournalBroken = false;
  #isClosed = false;
  #recovery: Promise<void> | undefined;
  #lastReplay: Promise<number> = Promise.resolve(0);

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#unsynced = new UnsyncedBatches(options.answerWaitMs, (error) => {
      options.log.error({ error }, "the disk refused charges that were written");
      this.#startRecovery();
    });
    this.#watch = setInterval(() => this.#look(), WATCH_EVERY_MS);
    this.#watch.unref();
  }

  get isHealthy(): boolean {
    return this.#isHealthy && !this.#isClosed;
  }

  get figures(): Pick<LedgerFigures, "waiting" | "oldestMs" | "journaled"> {
    const isPending = ({ isDone }: Entry): boolean => !isDone;
    const pending = [...this.#inFlight.filter(isPending), ...this.#waiting.filter(isPending), ...this.#journaling];
    const nowMs = performance.now();
    const oldestMs = pending.reduce((oldest, { queuedAtMs }) => Math.min(oldest, queuedAtMs), nowMs);
    return { waiting: pending.length, oldestMs: nowMs - oldestMs, journaled: this.#journaled };
  }

  /**
   * Resolves when the ledger entry is durable, `answerWaitMs` after it was written, or with "pending" after `answerAfterMs`. Rejects only for
   * invalid data, and for log rows beyond the maximum that may wait.
   */
  add(ledgerEntry: LedgerEntry): Promise<SettleOutcome> {
    return new Promise((resolve, reject) => {
      const queuedAtMs = performance.now();
      const journalAtMs = queuedAtMs + this.#options.journalAfterMs;
      const isNot = { hasFailed: false, isDone: false, isPosted: false };
      const entry: Entry = { ledgerEntry, queuedAtMs, journalAtMs, ...isNot, resolve, reject };
      if (!this.#isHealthy) {
        if (ledgerEntry.ledger !== undefined) return void this.#toJournal(entry);
        if (isLogAlone(ledgerEntry) && this.#waiting.length >= MAX_WAITING_LOGS)
          return reject(new Error("The database has not taken log rows for too long: this one is left out"));
      }
      this.#waiting.push(entry);
      this.#start();
    });
  }

  /** Entries of the same event-loop turn join the first batch: fewer messages to the writer, 5 µs less a call. */
  #start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    setImmediate(() => void this.#run());
  }

  /**
   * Posts the journals of this process and of owners for which `isGone` is true; one replay at a time.
   * Throws if the database is unavailable.
   */
  replay(isGone: (owner: string) => boolean): Promise<number> {
    const post = async (ledgerEntries: readonly LedgerEntry[]): Promise<void> => {
      for (let rest = ledgerEntries; rest.length > 0;) {
        const length = batchLength(rest, (ledgerEntry) => ledgerEntry);
        await this.#postAgain(rest.slice(0, length));
        rest = rest.slice(length);
      }
    };
    const run = (): Promise<number> => this.#options.journal.replay(isGone, post);
    const result = this.#lastReplay.then(run, run);
    this.#lastReplay = result.catch(() => 0);
    return result;
  }

  /** Refused entries are stored before their journal is removed. */
  async #postAgain(ledgerEntries: readonly LedgerEntry[]): Promise<void> {
    const { backend } = this.#options;
    try {
      const { synced } = await backend.post(ledgerEntries);
      await synced;
    } catch (error) {
      if (!backend.isDataError(error)) throw error;
      const [only, ...others] = ledgerEntries;
      if (only !== undefined && others.length === 0) {
        await this.#options.keepRefused(only, error);
        return this.#forgetRefused(only, error);
      }
      for (const ledgerEntry of ledgerEntries) await this.#postAgain([ledgerEntry]);
    }
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#isClosed) {
      const batch = this.#waiting.splice(
        0,
        batchLength(this.#waiting, ({ ledgerEntry }) => ledgerEntry),
      );
      this.#inFlight = batch;
      await this.#commit(batch);
      this.#inFlight = [];
    }
    this.#isRunning = false;
  }

  async #commit(batch: Entry[]): Promise<void> {
    try {
      const { isNew, synced } = await this.#options.backend.post(batch.map(({ ledgerEntry }) => ledgerEntry));
      this.#failures = 0;
      const answers = batch.map((entry, index) => this.#finish(entry, isNew[index] === true));
      const answer = (): void => answers.forEach((each) => each());
      if (synced === undefined) answer();
      else await this.#unsynced.add(synced, answer);
    } catch (error) {
      await this.#recover(batch, error);
    }
  }

  /** Returns what answers the caller. */
  #finish(entry: Entry, isNew: boolean): () => void {
    if (!isNew && !entry.isDone) this.#options.backend.forget(entry.ledgerEntry);
    entry.isDone = true;
    entry.isPosted = true;
    return () => entry.resolve(isNew ? "committed" : "already_settled");
  }

  /** One invalid row must not block the others; an unavailable database is retried until the journal takes over. */
  async #recover(batch: Entry[], error: unknown): Promise<void> {
    const { backend, log } = this.#options;
    if (backend.isDataError(error)) {
      const [only, ...others] = batch;
      if (only !== undefined && others.length === 0) return this.#refuse(only, error);
      for (const entry of batch) await this.#commit([entry]);
      return;
    }
    log.warn({ error, count: batch.length }, "ledger entries could not be committed and are tried again");
    this.#failures += 1;
    for (const entry of batch) entry.hasFailed = true;
    // A lost connection may be the only failed one.
    if (isDiskError(error) || this.#failures > 1) this.#startRecovery();
    await delay(Math.min(RETRY_AFTER_MS * 2 ** (this.#failures - 1), MAX_RETRY_AFTER_MS));
    this.#waiting.unshift(...batch.filter((entry) => !entry.isDone));
  }

  #refuse(entry: Entry, error: unknown): void {
    if (entry.isDone) return; // Its replay from the journal is refused too.
    entry.isDone = true;
    entry.reject(error);
    this.#refused.push({ ledgerEntry: entry.ledgerEntry, error });
    this.#forgetRefused(entry.ledgerEntry, error);
    this.#keepRefused().catch((failure: unknown) => {
      this.#options.log.error({ error: failure }, "a refused settlement could not be kept yet");
      this.#startRecovery();
    });
  }

  async #keepRefused(): Promise<void> {
    for (let [first] = this.#refused; first !== undefined; [first] = this.#refused) {
      await this.#options.keepRefused(first.ledgerEntry, first.error);
      this.#refused = this.#refused.filter((refused) => refused !== first);
    }
  }

  /** It will never be posted: memory reverts what it counted, and its hold ends all the same, whose row would reduce the balance. */
  #forgetRefused(ledgerEntry: LedgerEntry, error: unknown): void {
    const { backend, log } = this.#options;
    const { ledger, hold } = ledgerEntry;
    log.error({ error, ...infoOf(ledgerEntry) }, "a settlement was refused by the database and set aside");
    backend.forget(ledgerEntry);
    if (ledger === undefined || hold === undefined || !backend.storesHolds) return;
    this.add({ ledger: undefined, log: undefined, hold }).catch((failure: unknown) =>
      log.error({ error: failure, requestId: hold.id }, "the hold of a refused charge could not be ended"),
    );
  }

  #look(): void {
    const nowMs = performance.now();
    this.#journalOverdue(nowMs);
    // A power cut would lose what was answered meanwhile, so no more calls are let in.
    if (this.#unsynced.oldestMs(nowMs) > this.#options.journalAfterMs) this.#startRecovery();
    const overdue = (entry: Entry): boolean => nowMs - entry.queuedAtMs > this.#options.answerAfterMs;
    for (const entries of [this.#inFlight, this.#waiting, this.#journaling])
      for (const entry of entries) if (overdue(entry)) entry.resolve("pending");
  }

  #journalOverdue(nowMs: number): void {
    const isDue = (entry: Entry): boolean => isMoney(entry) && nowMs >= entry.journalAtMs;
    const due = new Set([...this.#inFlight.filter(isDue), ...this.#waiting.filter(isDue)]);
    if (due.size === 0) return;
    this.#startRecovery();
    this.#waiting = this.#waiting.filter((entry) => !due.has(entry));
    for (const entry of due) void this.#toJournal(entry);
  }

  async #toJournal(entry: Entry): Promise<void> {
    entry.isDone = true;
    this.#journaling.add(entry);
    try {
      await this.#options.journal.append(entry.ledgerEntry);
      this.#journaled += 1;
      this.#isJournalBroken = false;
      entry.resolve("journaled");
    } catch (error) {
      this.#notJournaled(entry, error);
    }
    this.#journaling.delete(entry);
    this.#startRecovery();
  }

  /** Neither database nor disk: back into the queue, for the first that is available again. */
  #notJournaled(entry: Entry, error: unknown): void {
    if (!this.#isJournalBroken) this.#options.log.error({ error }, "the journal cannot be written");
    this.#isJournalBroken = true;
    if (entry.isPosted) return;
    entry.isDone = false;
    entry.hasFailed = true;
    entry.journalAtMs = performance.now() + this.#options.journalAfterMs;
    // A running batch still has it, and puts it back itself.
    if (this.#inFlight.includes(entry)) return;
    this.#waiting.push(entry);
    this.#start();
  }

  /** Called when the database may be away: a write finds out whether it is. */
  suspect(): void {
    if (!this.#isHealthy) return;
    endsWithin(this.#options.probe(), this.#options.journalAfterMs).then(
      (isAnswered) => void (isAnswered || this.#startRecovery()),
      () => this.#startRecovery(),
    );
  }

  #startRecovery(): void {
    if (this.#isClosed) return;
    if (this.#isHealthy) {
      this.#options.log.error({}, "the database does not take settlements: they go to the journal");
      for (const entry of this.#waiting) entry.journalAtMs = 0;
    }
    this.#isHealthy = false;
    this.#recovery ??= this.#untilRecovered().finally(() => (this.#recovery = undefined));
  }

  async #untilRecovered(): Promise<void> {
    for (let waitMs = RETRY_AFTER_MS; !this.#isClosed; waitMs = Math.min(waitMs * 2, MAX_RETRY_AFTER_MS)) {
      await delay(waitMs);
      try {
        const count = await this.replay(() => false);
        await this.#keepRefused();
        if (!(await this.#isEverythingWritten())) continue;
        this.#isHealthy = true;
        this.#journaled = 0;
        this.#failures = 0;
        this.#options.log.info({ count }, "the journal is replayed, settlements are committed again");
        return;
      } catch (error) {
        this.#options.log.warn({ error }, "the journal could not be replayed yet");
      }
    }
  }

  /** An empty journal proves nothing of the disk, so a test write decides. Throws what the write throws. */
  async #isEverythingWritten(): Promise<boolean> {
    if (this.#journaling.size > 0 || !(await this.#options.journal.isEmpty())) return false;
    if (this.#waiting.some(({ hasFailed }) => hasFailed) || this.#inFlight.some(({ hasFailed }) => hasFailed))
      return false;
    await this.#options.probe();
    return true;
  }

  /**
   * Waits for queued entries, at most CLOSE_WAIT_MS and not for a database that is away: charges go to the journal then, and the next
   * process sweeps up everything else.
   */
  async close(): Promise<void> {
    const end = performance.now() + CLOSE_WAIT_MS;
    const isBusy = (): boolean => this.#isRunning || this.#waiting.length > 0 || this.#unsynced.count > 0;
    while (isBusy() && this.#isHealthy && performance.now() < end) await delay(5);
    const left = [...this.#inFlight, ...this.#waiting].filter(isMoney);
    this.#isClosed = true;
    clearInterval(this.#watch);
    await endsWithin(this.#closeJournal(left), CLOSE_JOURNAL_MS);
    for (const entry of [...this.#waiting.filter(isMoney), ...this.#journaling])
      this.#options.log.error(
        infoOf(entry.ledgerEntry),
        "a charge is lost: neither database nor disk took it before the end",
      );
    for (const { ledgerEntry } of this.#refused)
      this.#options.log.error(infoOf(ledgerEntry), "a refused settlement could not be kept before the end");
  }

  async #closeJournal(left: readonly Entry[]): Promise<void> {
    await Promise.all(left.map((entry) => this.#toJournal(entry)));
    await this.#recovery;
    await this.#lastReplay;
    await this.#options.journal.close();
  }
}
