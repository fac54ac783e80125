/** Tool calls of one streamed chat answer -> neutral events: one call after the other, even if the upstream interleaves their pieces. */
import { isObject, numberOf, objectOf, parseObject, textOf } from "../../json/fields.ts";
import type { JsonObject, NeutralEvent, Signature } from "../../neutral/neutral.ts";
import { missingCallId } from "../answer.ts";
import { callSignature, isCarried } from "../signature.ts";

/** One call as far as it came. */
interface Call {
  /** Its index at the upstream. */
  place: number;
  id: string;
  name: string;
  signature?: Signature;
  /** All of its arguments so far. */
  text: string;
  /** The part that was not emitted yet. */
  waiting: string;
  /** Its place in the neutral answer; undefined until it was emitted. */
  index: number | undefined;
}

/** Most upstreams finish a call before the next, so its pieces are sent at once; interleaved ones wait until the one before is complete. */
export class CallReader {
  /** Calls that were emitted. */
  count = 0;
  readonly #choice: number;
  readonly #answerId: string;
  readonly #calls: Call[] = [];
  #live: Call | undefined = undefined;

  constructor(choice: number, answerId: string) {
    this.#choice = choice;
    this.#answerId = answerId;
  }

  /** Reads `tool_calls` or the retired `function_call` of a delta. */
  read(delta: JsonObject, events: NeutralEvent[]): void {
    const { tool_calls: list, function_call: legacy } = delta;
    if (Array.isArray(list)) for (const each of list) if (isObject(each)) this.#take(each, events);
    if (isObject(legacy)) this.#take({ index: 0, function: legacy }, events);
  }

  #take(delta: JsonObject, events: NeutralEvent[]): void {
    const call = this.#callOf(delta);
    const called = objectOf(delta["function"]);
    const args = called["arguments"];
    call.id ||= textOf(delta["id"]);
    call.name ||= textOf(called["name"]);
    const said = isObject(args) ? JSON.stringify(args) : textOf(args);
    // `null` for no arguments, which is no piece of an object.
    const text = call.text === "" && said === "null" ? "" : said;
    call.text += text;
    call.waiting += text;
    const { signature } = callSignature(delta);
    if (signature !== undefined && !isCarried(signature)) call.signature = signature;
    this.#advance(events);
  }

  /** The call a piece belongs to. Several vendors omit the index or always say 0: then another id begins another call. */
  #callOf(delta: JsonObject): Call {
    const id = textOf(delta["id"]);
    const place = numberOf(delta["index"]);
    const isSame = (call: Call): boolean =>
      place === undefined
        ? id === "" || call.id === id
        : call.place === place && (id === "" || call.id === "" || call.id === id);
    const found = this.#calls.findLast(isSame);
    if (found !== undefined) return found;
    const call: Call = { place: place ?? this.#calls.length, id, name: "", text: "", waiting: "", index: undefined };
    this.#calls.push(call);
    return call;
  }

  /** Emits what is complete: new arguments of the live call, and the next call once the live one is complete. */
  #advance(events: NeutralEvent[]): void {
    for (;;) {
      if (this.#live !== undefined) this.#tell(this.#live, events);
      const next = this.#calls.find(({ index }) => index === undefined);
      if (next === undefined || next.name === "" || !this.#isLiveWhole()) return;
      this.#live = next;
    }
  }

  #isLiveWhole(): boolean {
    const text = this.#live?.text;
    return text === undefined || (text.trimEnd().endsWith("}") && parseObject(text) !== undefined);
  }

  #tell(call: Call, events: NeutralEvent[]): void {
    const choice = this.#choice;
    if (call.index === undefined) {
      call.index = this.count;
      this.count += 1;
      const id = call.id || missingCallId(this.#answerId, choice, call.index);
      const { index, name, signature } = call;
      events.push({ kind: "tool_call", choice, index, id, name, ...(signature === undefined ? {} : { signature }) });
    }
    if (call.waiting === "") return;
    events.push({ kind: "tool_arguments", choice, index: call.index, text: call.waiting });
    call.waiting = "";
  }

  /** Emits every call that still waits; one without a name is none, and text after a complete call is not its arguments. */
  finish(events: NeutralEvent[]): void {
    for (const call of this.#calls) if (call.index === undefined && call.name !== "") this.#tell(call, events);
  }
}
