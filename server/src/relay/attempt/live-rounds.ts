/** Rounds of an answer with searches of the gateway between them, as one stream: texts and searches are sent as they come, by one encoder. */
import type { Usage } from "../../../../contract/src/pricing/usage.ts";
import type { ErrorInfo } from "../../dialects/neutral/info.ts";
import { type Citation, type NeutralAnswer, type NeutralEvent, eventsOf } from "../../dialects/neutral/neutral.ts";
import { ThinkingInContent } from "../../dialects/openai-chat/thinking-in-content.ts";
import { AnswerAggregator } from "../../dialects/stream/aggregate.ts";
import { TranslatePipe } from "../../dialects/stream/pipe.ts";
import type { StreamDecoder, StreamEncoder, StreamPipe } from "../../dialects/stream/stream.ts";
import type { LiveRounds as LiveRoundsOfTarget } from "../call/target.ts";

/** What the rounds need of the searches between them. */
export interface ShownSearches {
  /** True for the function that stands for the search. */
  isOwn(name: string): boolean;
  /** Pages that a text names by their numbers. */
  citationsIn(text: string): readonly Citation[];
}

type Of<Kind extends NeutralEvent["kind"]> = Extract<NeutralEvent, { kind: Kind }>;

/** The events of one round that its client gets. Citations come behind the text that they belong to, as in an answer that is read whole. */
class ShownEvents {
  readonly #searches: ShownSearches;
  /** Places of the client's own calls, by those of the round. */
  readonly #places = new Map<number, number>();
  #text = "";
  /** The proof of a reasoning goes nowhere where a search follows it: its upstream expects the call behind it. */
  #proof: Of<"signature"> | undefined = undefined;

  constructor(searches: ShownSearches) {
    this.#searches = searches;
  }

  take(event: NeutralEvent): NeutralEvent[] {
    switch (event.kind) {
      case "text":
        this.#text += event.text;
        return [...this.#takeProof(), event];
      case "logprobs":
      case "citation":
        return [event];
      case "signature": {
        const before = [...this.#endText(), ...this.#takeProof()];
        this.#proof = event;
        return before;
      }
      case "tool_call":
        return this.#call(event);
      case "tool_arguments": {
        const index = this.#places.get(event.index);
        return index === undefined ? [] : [{ ...event, index }];
      }
      case "reasoning":
      case "refusal":
      case "image":
      case "audio":
        return [...this.#endText(), ...this.#takeProof(), event];
      case "finish":
        return this.#endText();
      default:
        return [];
    }
  }

  /** What waits once it is known that no search follows. */
  end(): NeutralEvent[] {
    return [...this.#endText(), ...this.#takeProof()];
  }

  #call(event: Of<"tool_call">): NeutralEvent[] {
    if (this.#searches.isOwn(event.name)) {
      this.#proof = undefined;
      return this.#endText();
    }
    const index = this.#places.size;
    this.#places.set(event.index, index);
    return [...this.#endText(), ...this.#takeProof(), { ...event, index }];
  }

  #takeProof(): NeutralEvent[] {
    const proof = this.#proof;
    this.#proof = undefined;
    return proof === undefined ? [] : [proof];
  }

  #endText(): NeutralEvent[] {
    const found = this.#searches.citationsIn(this.#text);
    this.#text = "";
    return found.map((citation) => ({ kind: "citation", choice: 0, citation }));
  }
}

/** One round as a pipe sees it: the encoder of all of them, behind what is shown of this one. */
class RoundEncoder implements StreamEncoder {
  readonly aggregator = new AnswerAggregator();
  readonly #shown: ShownEvents;
  readonly #rounds: LiveRounds;

  constructor(searches: ShownSearches, rounds: LiveRounds) {
    this.#shown = new ShownEvents(searches);
    this.#rounds = rounds;
  }

  push(event: NeutralEvent): string {
    this.aggregator.take(event);
    if (event.kind === "start" || event.kind === "finish") this.#rounds.note(event);
    return this.#rounds.encode(this.#shown.take(event));
  }

  close(usage: Usage): string {
    return this.#rounds.encode(this.#shown.end()) + this.#rounds.close(usage);
  }

  fail(error: ErrorInfo): string {
    return this.#rounds.fail(error);
  }
}

export class LiveRounds implements LiveRoundsOfTarget {
  readonly thinking = new ThinkingInContent();
  readonly #encoder: StreamEncoder;
  readonly #searches: ShownSearches;
  #round: RoundEncoder | undefined = undefined;
  #start: Of<"start"> | undefined = undefined;
  #hasStarted = false;
  #finish: Of<"finish"> | undefined = undefined;
  #hasCalls = false;

  constructor(encoder: StreamEncoder, searches: ShownSearches) {
    this.#encoder = encoder;
    this.#searches = searches;
  }

  pipe(decoder: StreamDecoder): StreamPipe {
    this.#round = new RoundEncoder(this.#searches, this);
    return new TranslatePipe(decoder, this.#round, 1);
  }

  /** The answer begins with the head of its first round, and ends like the last one. */
  note(event: Of<"start"> | Of<"finish">): void {
    if (event.kind === "finish") this.#finish = event;
    else this.#start ??= event;
  }

  /** Frames for events that the client sees. */
  encode(events: readonly NeutralEvent[]): string {
    let frames = "";
    for (const event of events) {
      if (!this.#hasStarted && this.#start !== undefined) frames += this.#encoder.push(this.#start);
      this.#hasStarted = true;
      this.#hasCalls ||= event.kind === "tool_call";
      frames += this.#encoder.push(event);
    }
    return frames;
  }

  /** What the round that has come to its end answered; undefined for one that came in one piece. */
  takeRound(): NeutralAnswer | undefined {
    const round = this.#round;
    this.#round = undefined;
    return round?.aggregator.answer;
  }

  /** Frames of a round that came in one piece. `isLast`: no search follows it. */
  framesOf(answer: NeutralAnswer, isLast: boolean): string {
    const shown = new ShownEvents(this.#searches);
    let frames = "";
    for (const event of eventsOf(answer)) {
      if (event.kind === "start" || event.kind === "finish") this.note(event);
      frames += this.encode(shown.take(event));
    }
    return isLast ? frames + this.encode(shown.end()) : frames;
  }

  close(usage: Usage): string {
    const finish = this.#finish;
    if (finish !== undefined) {
      // A search that was not made any more is no call of the client's.
      const reason = finish.reason === "tool_calls" && !this.#hasCalls ? "stop" : finish.reason;
      this.#encoder.push({ ...finish, reason });
    }
    return this.#encoder.close(usage);
  }

  fail(error: ErrorInfo): string {
    return this.#encoder.fail(error);
  }
}
