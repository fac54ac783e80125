/** Tool calls: their arguments, and the pending call that a result answers, by id or name, in constant time; part of the hub. */

/** Arguments as a JSON object: some servers write nothing or `null` for none. */
export const writtenArguments = (text: string): string => (text === "" || text.trim() === "null" ? "{}" : text);

export interface WaitingCall {
  readonly id: string;
  readonly name: string;
}

/** Calls in the order they were made; those before `head` have their results. */
interface Shelf {
  calls: WaitingCall[];
  head: number;
}

function put(shelves: Map<string, Shelf>, key: string, call: WaitingCall): void {
  const shelf = shelves.get(key);
  if (shelf === undefined) shelves.set(key, { calls: [call], head: 0 });
  else shelf.calls.push(call);
}

export class WaitingCalls {
  readonly #all: Shelf = { calls: [], head: 0 };
  readonly #byId = new Map<string, Shelf>();
  readonly #byName = new Map<string, Shelf>();
  readonly #answered = new Set<WaitingCall>();

  add(call: WaitingCall): void {
    this.#all.calls.push(call);
    put(this.#byId, call.id, call);
    put(this.#byName, call.name, call);
  }

  #firstOf(shelf: Shelf | undefined): WaitingCall | undefined {
    if (shelf === undefined) return undefined;
    let call = shelf.calls[shelf.head];
    while (call !== undefined && this.#answered.has(call)) call = shelf.calls[(shelf.head += 1)];
    return call;
  }

  /** The one that waits longest. */
  first(): WaitingCall | undefined {
    return this.#firstOf(this.#all);
  }

  /** The same of those with this id. */
  withId(id: string): WaitingCall | undefined {
    return this.#firstOf(this.#byId.get(id));
  }

  /** The same of those of this tool. */
  named(name: string): WaitingCall | undefined {
    return this.#firstOf(this.#byName.get(name));
  }

  /** Its result has come. */
  answered(call: WaitingCall): void {
    this.#answered.add(call);
  }
}
