/** The receipt of a call as its payer sees it: what was counted, at which price, and how it ended. */
import { z } from "zod";

const amount = z.union([z.number(), z.string()]);

/** What the payer of a call sees of its receipt. Everything about channels stands under `admin_info`, which this does not name. */
export const userReceipt = z.object({
  model_ratio: amount.optional(),
  model_price: amount.optional(),
  group_ratio: amount.optional(),
  completion_ratio: amount.optional(),
  cache_tokens: z.number().optional(),
  cache_ratio: amount.optional(),
  cache_creation_tokens: z.number().optional(),
  cache_creation_ratio: amount.optional(),
  /** Written to a cache that lives an hour; beside `cache_creation_tokens`, at 1.6 × its ratio. */
  cache_creation_long_tokens: z.number().optional(),
  /** Input tokens above which the ratios here hold; absent where the model has one price for every length. */
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
  /** What the fixed price was multiplied by, decimal text; absent where that is 1. */
  call_factor: z.string().optional(),
  /** Option QuotaPerUnit when the call was charged. */
  quota_per_unit: amount.optional(),
  web_search: z.boolean().optional(),
  web_search_call_count: z.number().optional(),
  /** USD for 1,000 calls. */
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
  /** Each with its own price, in USD for 1,000 calls; only where one tool was called at several, which the fields above sum up. */
  tool_calls: z.array(z.object({ tool: z.string(), count: z.number(), price: amount })).optional(),
  /** Ways of the vendor to answer at another price than its plain one, and what each multiplied the tokens' price by. */
  premiums: z.array(z.object({ premium: z.string(), ratio: amount })).optional(),
  reasoning_effort: z.string().optional(),
  is_model_mapped: z.boolean().optional(),
  upstream_model_name: z.string().optional(),
  /** Path that the call came in at. */
  endpoint: z.string().optional(),
  /** Milliseconds to the first token. */
  frt: z.number().optional(),
  claude: z.boolean().optional(),
  ws: z.boolean().optional(),
  is_test: z.boolean().optional(),
  price_version: z.number().optional(),
  /** When that price version began; Unix seconds. */
  price_since: z.number().optional(),
  /** Counts by the names of contract/usage.ts. */
  usage: z.record(z.string(), z.number()).optional(),
  /** Token counts as the upstream wrote them, nothing else of it. */
  raw_usage: z.record(z.string(), z.unknown()).optional(),
  /** The upstream sent no usage: counted here. */
  estimated: z.boolean().optional(),
  /** Nobody priced the model. */
  unpriced: z.boolean().optional(),
  /** How an answer that did not end well was charged: a code of receipt-codes.ts, in rows of earlier versions a sentence. */
  rule: z.string().optional(),
  usage_faults: z.array(z.string()).optional(),
  /** What could not be translated. */
  warnings: z.array(z.string()).optional(),
  error_type: z.string().optional(),
  error_code: z.string().optional(),
  status_code: z.number().optional(),
  /** What happened, where the row is about no call: a code of contract/log-events.ts with its values. */
  event: z.looseObject({ code: z.string() }).optional(),
});
export type UserReceipt = z.output<typeof userReceipt>;
