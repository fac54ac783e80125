/** Short forms of the JSON texts that every charge stores, its receipt and its detail: common parts are stored as one or two characters. */

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

const escaped = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);

/** Replaces fragments of a text by their codes, and back to the letter. */
export class Shorthand {
  readonly #codes: ReadonlyMap<string, string>;
  readonly #fragments: ReadonlyMap<string, string>;
  readonly #anyFragment: RegExp;

  /** @param fragments stored rows depend on their order: new ones go to the end, and none is ever changed or removed; at most 120 */
  constructor(fragments: readonly string[]) {
    this.#codes = new Map(fragments.map((fragment, index) => [fragment, codeOf(index)]));
    this.#fragments = new Map(fragments.map((fragment, index) => [codeOf(index), fragment]));
    const longestFirst = [...fragments].sort((a, b) => b.length - a.length);
    this.#anyFragment = new RegExp(longestFirst.map(escaped).join("|"), "g");
  }

  /** The short form; a text that it cannot hold as it is. */
  write(text: string): string {
    return text === "" || CODES.test(text) ? text : MARK + this.part(text);
  }

  /** A part of a text as it stands within its short form, where no fragment goes beyond the part's ends. */
  part(text: string): string {
    return text.replaceAll(this.#anyFragment, (fragment) => this.#codes.get(fragment) ?? fragment);
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
