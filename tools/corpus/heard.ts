/** The content of an answer, in one form for every format: the recording and the client library are both read to it. */
import { type Fields, fieldsOf } from "../../tests/support/clients/client-formats.ts";

export interface HeardCall {
  name: string;
  /** Parsed arguments; the text itself where it is no JSON. */
  input: unknown;
}

/** Token counts; `input` and `output` include their parts. */
export interface HeardUsage {
  input: number;
  output: number;
  cached: number;
  written: number;
  /** Written for an hour; beside `written`. */
  writtenLong: number;
}

export type Finish = "stop" | "length" | "tools" | "filter" | "";

export interface Heard {
  text: string;
  thinking: string;
  calls: readonly HeardCall[];
  /** Empty where the answer does not say how it ended. */
  finish: Finish;
  usage: HeardUsage | undefined;
  /** Parts that only this format has, by their type: what other formats make of them is not judged. */
  special: readonly string[];
}

/** Among the special parts: the pieces of a stream and its own summary say different things, since the file was shortened by hand. */
export const SHORTENED = "shortened";

export const stringOf = (value: unknown): string => (typeof value === "string" ? value : "");
export const countIn = (source: Fields, ...names: readonly string[]): number => {
  for (const name of names) {
    const value = source[name];
    if (typeof value === "number" && value > 0) return value;
  }
  return 0;
};

/** Arguments of a call: an empty text stands for none. */
function inputOf(text: unknown): unknown {
  if (typeof text !== "string") return text ?? {};
  if (text.trim() === "" || text.trim() === "null") return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Puts together what streams send in pieces, in the order in which the parts began. */
export class Gathered {
  text = "";
  thinking = "";
  finish: Finish = "";
  usage: HeardUsage | undefined;
  readonly special: string[] = [];
  /** Thinking in the details of OpenRouter's form, which is what counts where there is no other. */
  detailed = "";
  /** Key of the call that pieces without a name belong to. */
  openCall = "";
  readonly #calls = new Map<string, { name: string; arguments: string; whole: unknown }>();

  /** The call under a key by which the stream distinguishes calls. */
  call(key: string): { name: string; arguments: string; whole: unknown } {
    let found = this.#calls.get(key);
    if (found === undefined) this.#calls.set(key, (found = { name: "", arguments: "", whole: undefined }));
    return found;
  }

  heard(): Heard {
    const { text, finish, usage, special } = this;
    const thinking = this.thinking || this.detailed;
    const calls = [...this.#calls.values()]
      .filter(({ name, arguments: given }) => name !== "" || given !== "")
      .map(({ name, arguments: given, whole }) => ({ name, input: whole ?? inputOf(given) }));
    return { text, thinking, calls, finish, usage, special };
  }
}

export const fieldsIn = (source: Fields, name: string): Fields => fieldsOf(source[name]);
