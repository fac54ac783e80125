/** The option `channel_affinity_setting.rules`: which calls belong together, so that one channel answers them; its schema, its two built-in rules and its bounds. */
import { z } from "zod";
import { linearPattern, PatternError } from "../linear-pattern.ts";
import { because } from "../options/reasons.ts";

const RULES_MAX = 32;
const ENTRIES_MAX = 16;
const TEXT_MAX = 128;
const SECONDS_MAX = 604_800;

function isPattern(text: string): boolean {
  try {
    linearPattern(text);
    return true;
  } catch (error) {
    if (error instanceof PatternError) return false;
    throw error;
  }
}

const shortText = z
  .string({ error: because("text") })
  .min(1, because("text"))
  .max(TEXT_MAX, because("long"));
const pattern = z.string({ error: because("text") }).refine(isPattern, because("linear_pattern"));
const patterns = z.array(pattern, { error: because("list") }).max(ENTRIES_MAX, because("value"));
const aBoolean = z.boolean({ error: because("boolean") });
/** Keys always hold the user, the rule and what the call was let in by. */
const always = z.literal(true, { error: because("value") }).optional();

/** Names as in the family: what of a call its key is read from; the first that has a value counts. */
const keySource = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("request_header"), key: shortText }),
  /** A path into the body: names and places of lists between dots. `nested_path` goes on inside of a text that is JSON itself. */
  z.strictObject({ type: z.literal("gjson"), path: shortText, nested_path: shortText.optional() }),
  z.strictObject({
    type: z.literal("context_int"),
    key: z.enum(["id", "user_id", "token_id"], { error: because("value") }),
  }),
]);

const rule = z.strictObject({
  name: shortText,
  /** One of them has to match the model as the client names it; empty is every model. */
  model_regex: patterns.optional(),
  /** One of them has to match the path. */
  path_regex: patterns.optional(),
  /** One of them has to stand in the client's `user-agent`. */
  user_agent_include: z
    .array(shortText, { error: because("list") })
    .max(ENTRIES_MAX, because("value"))
    .optional(),
  key_sources: z
    .array(keySource, { error: because("list") })
    .min(1, because("value"))
    .max(ENTRIES_MAX, because("value")),
  /** The key's value has to match it; "" takes every value. */
  value_regex: z.union([z.literal(""), pattern]).optional(),
  /** How long a channel is found again after its last call; 0 for an hour. */
  ttl_seconds: z
    .int({ error: because("whole") })
    .min(0, because("value"))
    .max(SECONDS_MAX, because("value"))
    .optional(),
  /** Where the channel fails, the call fails: no other one is asked. */
  skip_retry_on_failure: aBoolean.optional(),
  /** Calls for different models are apart. */
  include_model_name: aBoolean.optional(),
  include_using_group: always,
  include_rule_name: always,
});

export type AffinityRule = z.output<typeof rule>;
export type AffinityKeySource = z.output<typeof keySource>;

export const affinityRulesSchema = z.array(rule, { error: because("list") }).max(RULES_MAX, because("value"));

/**
 * Codex names its session in `prompt_cache_key`, Claude Code in a header and inside of `metadata.user_id`. Where their channel fails
 * another one answers: a prompt that is read anew is better than none.
 */
export const DEFAULT_AFFINITY_RULES: z.input<typeof affinityRulesSchema> = [
  {
    name: "codex",
    model_regex: ["^gpt-"],
    path_regex: ["^/v1/responses"],
    key_sources: [
      { type: "gjson", path: "prompt_cache_key" },
      { type: "request_header", key: "session_id" },
    ],
  },
  {
    name: "claude code",
    model_regex: ["^claude-", "^gpt-"],
    path_regex: ["^/v1/messages"],
    key_sources: [
      { type: "request_header", key: "x-claude-code-session-id" },
      { type: "gjson", path: "metadata.user_id", nested_path: "session_id" },
    ],
  },
];
