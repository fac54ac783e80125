/** Short forms of the JSON texts that every charge stores, its receipt and its detail: common parts are stored as one or two characters. */
import { LruMap } from "../util/lru.ts";

/** The first character of a short form. JSON as JSON.stringify writes it has no control characters, so no other stored text begins with it. */
const MARK = "\u0001";
/** Further fragments have this one before a printable one. */
const SECOND = "\u001f";
const [FIRST_SINGLE, SINGLES] = [0x02, 0x1f - 0x02];
const FIRST_PRINTABLE = 0x21;
/** Characters that a text must not have to be written short; NUL does not reach a database. */
// oxlint-disable-next-line no-control-regex
const CODES = /[\u0001-\u001f]/;

/** The characters for the fragment with this number. */
const codeOf = (index: number): string =>
  index < SINGLES
    ? String.fromCharCode(FIRST_SINGLE + index)
    : SECOND + String.fromCharCode(FIRST_PRINTABLE + index - SINGLES);

/**
 * The number that a fragment is found by: length and two characters, where a text as the key would be read from end to end for each that is
 * found. The constructor sees to it that each has one of its own.
 */
const keyOf = (fragment: string): number =>
  (fragment.length << 14) | (fragment.charCodeAt(2) << 7) | fragment.charCodeAt(fragment.length - 3);

/** Parts that many texts have alike, at most. Each keeps the text that it was found in, so that they take 1 MB. */
const MAX_REMEMBERED = 512;
const MAX_REMEMBERED_CHARACTERS = 2_048;

const escaped = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);

/** Replaces fragments of a text by their codes, and back to the letter. */
export class Shorthand {
  /** Code by keyOf. */
  readonly #codes: ReadonlyMap<number, string>;
  readonly #fragments: ReadonlyMap<string, string>;
  readonly #anyFragment: RegExp;
  readonly #remembered = new LruMap<string, string>(MAX_REMEMBERED);

  /**
   * @param fragments stored rows depend on their order: new ones go to the end, and none is ever changed or removed; at most 120, of three
   * characters of ASCII or more. Throws where two have one key.
   */
  constructor(fragments: readonly string[]) {
    this.#codes = new Map(fragments.map((fragment, index) => [keyOf(fragment), codeOf(index)]));
    if (this.#codes.size < fragments.length) throw new Error("two fragments have the same length and characters");
    this.#fragments = new Map(fragments.map((fragment, index) => [codeOf(index), fragment]));
    const longestFirst = [...fragments].sort((a, b) => b.length - a.length);
    this.#anyFragment = new RegExp(longestFirst.map(escaped).join("|"), "g");
  }

  /**
   * The short form; a text that it cannot hold as it is. On the side `alike` of the position `border` many texts are the same: that part is
   * remembered. No fragment may go beyond the border.
   */
  write(text: string, border = 0, alike: "before" | "behind" = "before"): string {
    if (text === "" || CODES.test(text)) return text;
    if (text.length > MAX_REMEMBERED_CHARACTERS) return MARK + this.part(text);
    const [before, behind] = [text.slice(0, border), text.slice(border)];
    return alike === "before"
      ? MARK + this.#known(before) + this.part(behind)
      : MARK + this.part(before) + this.#known(behind);
  }

  /** A part of a text as it stands within its short form, where no fragment goes beyond the part's ends. */
  part(text: string): string {
    return text.replaceAll(this.#anyFragment, (fragment) => this.#codes.get(keyOf(fragment)) ?? fragment);
  }

  #known(part: string): string {
    let short = this.#remembered.get(part);
    if (short === undefined) this.#remembered.set(part, (short = this.part(part)));
    return short;
  }

  /** The text of a short form, and every other text as it is. */
  read(stored: string): string {
    return stored.startsWith(MARK) ? this.whole(stored.slice(MARK.length)) : stored;
  }

  /** The text that `part` was given. */
  whole(part: string): string {
    // oxlint-disable-next-line no-control-regex
    return part.replaceAll(/\u001f.|[\u0002-\u001e]/g, (code) => this.#fragments.get(code) ?? code);
  }
}

/**
 * Receipts (relay/metering/record.ts). Filters of the log look for a client, an id of an upstream and the channels tried: those fields have
 * a fragment each, and none goes beyond their values.
 */
export const receiptShorthand = new Shorthand([
  '{"group_ratio":1,"quota_per_unit":500000,"price_version":',
  ',"price_since":',
  ',"cache_tokens":0,"model_ratio":',
  ',"cache_tokens":',
  ',"model_ratio":',
  ',"model_price":-1,"completion_ratio":',
  ',"cache_ratio":',
  ',"endpoint":"/v1/chat/completions"',
  ',"endpoint":"/v1/messages"',
  ',"endpoint":"/v1/responses"',
  '"client":"',
  ',"frt":',
  ',"admin_info":{',
  '"use_channel":[',
  '],"tried":',
  '[{"id":',
  ',"name":"',
  '","start_ms":',
  ',"ms":',
  ',"status":200,"reason":"",',
  '"upstream_request_id":"',
  '}],"skipped":[]',
  '},"usage":{"inputTokens":',
  ',"outputTokens":',
  ',"cacheReadTokens":',
  '},"raw_usage":{"prompt_tokens":',
  ',"completion_tokens":',
  ',"total_tokens":',
  '},"raw_usage":{"input_tokens":',
  // Two characters from here on.
  ',"output_tokens":',
  ',"prompt_tokens_details":{"cached_tokens":',
  ',"completion_tokens_details":{"reasoning_tokens":',
  ',"audio_tokens":0',
  ',"accepted_prediction_tokens":0,"rejected_prediction_tokens":0',
  ',"input_tokens_details":{"cached_tokens":',
  ',"output_tokens_details":{"reasoning_tokens":',
  ',"cache_creation_input_tokens":',
  ',"cache_read_input_tokens":',
  ',"cache_creation":{"ephemeral_5m_input_tokens":',
  ',"ephemeral_1h_input_tokens":',
  ',"service_tier":"',
  ',"cost":{"quota":',
  ',"margin":',
  ',"origin":"',
  ',"factor":"',
  '{"group_ratio":',
  ',"quota_per_unit":500000,"price_version":',
  ',"quota_per_unit":',
  ',"price_version":',
  ',"user_group_ratio":',
  ',"user_group":"',
  ',"model_price":',
  ',"completion_ratio":',
  ',"cache_creation_tokens":',
  ',"cache_creation_ratio":',
  ',"tier_above":',
  ',"cacheWriteTokens":',
  ',"reasoningTokens":',
  ',"endpoint":"',
  ',"is_model_mapped":true,"upstream_model_name":"',
  ',"reasoning_effort":"',
  ',"warnings":[',
  ',"affinity":{"rule":"',
  ',"overrides":[',
  ',"skipped":[',
  ',"skipped_total":',
  '},{"id":',
  ',"status":200,"reason":""',
  ',"status":',
  ',"reason":"',
  ',"key":"',
  '},"usage":{',
  '},"raw_usage":{"promptTokenCount":',
  '},"raw_usage":{',
  ',"candidatesTokenCount":',
  ',"totalTokenCount":',
  ',"thoughtsTokenCount":',
  ',"cachedContentTokenCount":',
  ',"promptTokensDetails":[{"modality":"TEXT","tokenCount":',
  ',"estimated":true',
]);

/** Details of charges (charge-detail.ts). No fragment reaches over the end of the counts, behind which many of them are alike. */
export const detailShorthand = new Shorthand([
  '{"n":[',
  ',"g":"1","q":"500000","v":',
  ',"g":"',
  '","q":"500000","v":',
  '","q":"',
  '","v":',
  ',"r":["',
  '","',
  '"]}',
  ',"e":1',
  ',"i":"',
  ',"w":[',
  ',"t":[["',
  ',"m":[["',
  ',"x":[[',
]);

/** The short form of a receipt. What stands before its first time, prices above all, is the same for many calls. */
export const shortReceipt = (text: string): string =>
  receiptShorthand.write(text, Math.max(0, text.indexOf(',"frt":')), "before");

/** The short form of a detail. What stands behind its counts, prices above all, is the same for many charges. */
export const shortDetail = (text: string): string =>
  detailShorthand.write(text, Math.max(0, text.indexOf("]")), "behind");
