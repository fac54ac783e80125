/** What a channel's calls cost its operator, as stored with the channel: the JSON text `costs`, parsed without rounding any decimal. */
import { z } from "zod";
import { AppError } from "../errors.ts";
import { jsonReader } from "../options/json-option.ts";
import { because } from "../options/reasons.ts";
import type { ChannelCosts, ModelCost } from "../pricing/upstream-cost.ts";

/** Numbers arrive as plain decimal text. */
const decimal = z
  .string({ error: because("number") })
  .refine((text) => !text.startsWith("-"), { error: because("smallest") });

const TOKEN_PRICES = ["input", "output", "cache_read", "cache_write"] as const;

const modelCost = z
  .strictObject({
    /** USD for one call; then there is no price by tokens. */
    request: decimal.optional(),
    /** USD for 1M tokens. */
    input: decimal.optional(),
    output: decimal.optional(),
    cache_read: decimal.optional(),
    cache_write: decimal.optional(),
  })
  .transform((cost, context): ModelCost => {
    const refuse = (message: string, ...path: string[]) => context.addIssue({ code: "custom", message, path });
    const { request, input, output, cache_read, cache_write } = cost;
    if (request !== undefined) {
      const other = TOKEN_PRICES.find((name) => cost[name] !== undefined);
      if (other !== undefined) refuse(because("unknown_name"), other);
      return { request };
    }
    for (const name of ["input", "output"] as const) if (cost[name] === undefined) refuse(because("number"), name);
    // Prices are ratios to the input's, which cannot say that only something else costs.
    if (Number(input) === 0 && TOKEN_PRICES.some((name) => Number(cost[name] ?? 0) > 0)) refuse(because("free_input"));
    return { input: input ?? "", output: output ?? "", cache_read, cache_write };
  });

const MODEL_NAME_MAX = 255;

const schema = z.strictObject(
  {
    /** The upstream's price as a factor of the price list's; 1 where absent. */
    factor: decimal.optional(),
    /** By the name that the upstream knows a model by. */
    models: z
      .record(z.string().min(1, because("value")).max(MODEL_NAME_MAX, because("long_name")), modelCost, {
        error: because("map"),
      })
      .optional(),
  },
  { error: ({ code }) => (code === "unrecognized_keys" ? undefined : because("map")) },
);

const reader = jsonReader(schema, true);

/** The costs in the column's text. Throws AppError channel_costs_invalid, which names the reason and the place, for what is none. */
export function readChannelCosts(text: string): ChannelCosts {
  try {
    const { value } = reader.read(text);
    const refusal = reader.reasonAgainst(value, text);
    if (refusal !== undefined) throw new AppError("channel_costs_invalid", { ...refusal, field: "costs" });
    return value;
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "channel_costs_invalid") throw error;
    const { message, values } = error;
    throw new AppError("channel_costs_invalid", {
      message,
      field: "costs",
      ...(values === undefined ? {} : { values }),
    });
  }
}
