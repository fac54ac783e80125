/** The receipt of a call as its payer sees it: usage, prices, and how the call ended. */
import { z } from "zod";

const amount = z.union([z.number(), z.string()]);

/** The receipt as the payer of the call sees it. Everything about channels is in `admin_info`, which this schema omits. */
export const userReceipt = z.object({
  model_ratio: amount.optional(),
  model_price: amount.optional(),
  group_ratio: amount.optional(),
  /** Present where group_ratio is that of a pair: of the call's group for users of `user_group`. */
  user_group_ratio: amount.optional(),
  user_group: z.string().optional(),
  completion_ratio: amount.optional(),
  cache_tokens: z.number().optional(),
  cache_ratio: amount.optional(),
  cache_creation_tokens: z.number().optional(),
  cache_creation_ratio: amount.optional(),
  /** Tokens written to the 1-hour cache; not part of `cache_creation_tokens`, and charged at 1.6 × its ratio. */
  cache_creation_long_tokens: z.number().optional(),
  /** The ratios here apply to inputs of more tokens than this; absent where the model has one price for every length. */
  tier_above: z.number().optional(),
  image_ratio: amount.optional(),
  audio: z.boolean().optional(),
  audio_input: z.number().optional(),
  audio_output: z.number().optional(),
  text_input: z.number().optional(),
  text_output: z.number().optional(),
  audio_ratio: amount.optional(),
  audio_completion_ratio: amount.optional(),
  image_output_ratio: amount.optional(),
  /** Factor of the fixed price as decimal text; absent where it is 1. */
  call_factor: z.string().optional(),
  /** Option QuotaPerUnit when the call was charged. */
  quota_per_unit: amount.optional(),
  web_search: z.boolean().optional(),
  web_search_call_count: z.number().optional(),
  /** USD per 1,000 calls. */
  web_search_price: amount.optional(),
  file_search: z.boolean().optional(),
  file_search_call_count: z.number().optional(),
  file_search_price: amount.optional(),
  image_generation: z.boolean().optional(),
  image_generation_call_count: z.number().optional(),
  image_generation_price: amount.optional(),
  code_interpreter: z.boolean().optional(),
  code_interpreter_call_count: z.number().optional(),
  code_interpreter_price: amount.optional(),
  google_maps: z.boolean().optional(),
  google_maps_call_count: z.number().optional(),
  google_maps_price: amount.optional(),
  /** Calls by price, in USD per 1,000. Present only where one tool was called at several prices; the fields above hold the sums. */
  tool_calls: z.array(z.object({ tool: z.string(), count: z.number(), price: amount })).optional(),
  /** Surcharges of the vendor (tier, speed, place), each with the factor by which it multiplied the price of the tokens. */
  premiums: z.array(z.object({ premium: z.string(), ratio: amount })).optional(),
  reasoning_effort: z.string().optional(),
  is_model_mapped: z.boolean().optional(),
  upstream_model_name: z.string().optional(),
  /** Path that was called. */
  endpoint: z.string().optional(),
  /** Id of the program that called (contract/src/connect/programs.ts), where its `user-agent` is known. */
  client: z.string().optional(),
  /** Milliseconds to the first token. */
  frt: z.number().optional(),
  claude: z.boolean().optional(),
  ws: z.boolean().optional(),
  is_test: z.boolean().optional(),
  price_version: z.number().optional(),
  /** When that version of the prices took effect, in Unix seconds. */
  price_since: z.number().optional(),
  /** Counts under the names of contract/usage.ts. */
  usage: z.record(z.string(), z.number()).optional(),
  /** The upstream's own token counts, and nothing else from its answer. */
  raw_usage: z.record(z.string(), z.unknown()).optional(),
  /** The upstream sent no usage, so the gateway counted. */
  estimated: z.boolean().optional(),
  /** The model has no price. */
  unpriced: z.boolean().optional(),
  /** How an incomplete answer was charged: a code of receipt-codes.ts, or a sentence in rows of earlier versions. */
  rule: z.string().optional(),
  usage_faults: z.array(z.string()).optional(),
  /** What could not be translated. */
  warnings: z.array(z.string()).optional(),
  error_type: z.string().optional(),
  error_code: z.string().optional(),
  status_code: z.number().optional(),
  /** What happened, in a row that is not about a call: a code of contract/logs/events.ts with its values. */
  event: z.looseObject({ code: z.string() }).optional(),
});
export type UserReceipt = z.output<typeof userReceipt>;
