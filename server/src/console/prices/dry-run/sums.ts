/** Aggregates the results of a dry run by model, user and group, in memory that does not grow with the ledger. */
import {
  DRY_RUN_NOTES,
  type DryRunNote,
  type DryRunResult,
  type DryRunSums,
} from "../../../../../contract/src/pricing/dry-run.ts";
import type { ModelPrice } from "../../../../../contract/src/pricing/pricing.ts";
import { type ChargeRow, Rerun } from "./rerun.ts";
import type { DraftTables, DraftTerms } from "./terms.ts";

/** Keys that a list remembers, and those that it shows. */
const MAX_KEPT = 100_000;
const MAX_SHOWN = 10_000;

const none = (): DryRunSums => ({ calls: 0, old: 0, new: 0 });

function add(sums: DryRunSums, calls: number, old: number, renewed: number): void {
  sums.calls += calls;
  sums.old += old;
  sums.new += renewed;
}

export interface SumsBy<Key> {
  /** By the size of the difference, largest first. */
  list: readonly (readonly [Key, DryRunSums])[];
  /** Of keys beyond the list; undefined where there are none. */
  others: DryRunSums | undefined;
}

const difference = ({ old, new: renewed }: DryRunSums): number => Math.abs(renewed - old);

class SumsByKey<Key> {
  readonly #sums = new Map<Key, DryRunSums>();
  readonly #others = none();

  add(key: Key, old: number, renewed: number): void {
    let sums = this.#sums.get(key);
    if (sums === undefined) {
      if (this.#sums.size >= MAX_KEPT) return add(this.#others, 1, old, renewed);
      this.#sums.set(key, (sums = none()));
    }
    add(sums, 1, old, renewed);
  }

  summary(): SumsBy<Key> {
    const all = [...this.#sums].toSorted(([, a], [, b]) => difference(b) - difference(a) || b.old - a.old);
    for (const [, sums] of all.slice(MAX_SHOWN)) add(this.#others, sums.calls, sums.old, sums.new);
    return { list: all.slice(0, MAX_SHOWN), others: this.#others.calls === 0 ? undefined : this.#others };
  }
}

/** The result of a thread. */
export interface Summary {
  totals: DryRunSums;
  /** What was charged when the calls were made. */
  charged: number;
  freeCalls: number;
  models: SumsBy<string>;
  groups: SumsBy<string>;
  users: SumsBy<number>;
  notes: DryRunResult["notes"];
}

/** The prices of a run: those of the draft beside those in force, so that only the draft's own changes differ. */
export interface ComparedTerms {
  draft: DraftTerms;
  current: DraftTerms;
}

const isSame = (a: DraftTables | ModelPrice | undefined, b: typeof a): boolean =>
  a === b || JSON.stringify(a) === JSON.stringify(b);

export class DryRunTotals {
  readonly #terms: ComparedTerms;
  readonly #draft: Rerun;
  readonly #current: Rerun;
  readonly #hasSameTables: boolean;
  readonly #sameModels = new Map<string, boolean>();
  #charged = 0;
  readonly #totals = none();
  readonly #models = new SumsByKey<string>();
  readonly #groups = new SumsByKey<string>();
  readonly #users = new SumsByKey<number>();
  readonly #notes = new Map<DryRunNote, { calls: number; latest: number }>();
  #freeCalls = 0;

  constructor(terms: ComparedTerms) {
    this.#terms = terms;
    this.#draft = new Rerun(terms.draft);
    this.#current = new Rerun(terms.current);
    this.#hasSameTables = isSame(terms.draft.tables, terms.current.tables);
  }

  /** Whether the draft changes nothing for calls of the model: they are priced once then. */
  #isSameFor(model: string): boolean {
    if (!this.#hasSameTables) return false;
    const known = this.#sameModels.get(model);
    if (known !== undefined) return known;
    const { draft, current } = this.#terms;
    const is = isSame(draft.priceOf(model), current.priceOf(model));
    this.#sameModels.set(model, is);
    return is;
  }

  add(row: ChargeRow): void {
    const { quota, notes } = this.#draft.charge(row);
    const old = this.#isSameFor(row.model) ? quota : this.#current.charge(row).quota;
    this.#charged += Number(row.used_delta);
    add(this.#totals, 1, old, quota);
    this.#models.add(row.model, old, quota);
    this.#groups.add(row.group_name, old, quota);
    this.#users.add(Number(row.user_id), old, quota);
    if (quota === 0) this.#freeCalls += 1;
    for (const code of notes) this.#note(code, Number(row.created_at));
  }

  #note(code: DryRunNote, time: number): void {
    const note = this.#notes.get(code);
    if (note === undefined) this.#notes.set(code, { calls: 1, latest: time });
    else {
      note.calls += 1;
      note.latest = Math.max(note.latest, time);
    }
  }

  summary(): Summary {
    return {
      totals: this.#totals,
      charged: this.#charged,
      freeCalls: this.#freeCalls,
      models: this.#models.summary(),
      groups: this.#groups.summary(),
      users: this.#users.summary(),
      notes: DRY_RUN_NOTES.flatMap((code) => {
        const note = this.#notes.get(code);
        return note === undefined ? [] : [{ code, ...note }];
      }),
    };
  }
}
