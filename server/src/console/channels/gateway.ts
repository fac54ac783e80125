/** Fetches the groups and prices that another gateway of this API family publishes, without a key and under the address policy. */
import { z } from "zod";
import { GATEWAY_GROUPS_MAX, GATEWAY_MODELS_MAX, type GatewayInfo } from "../../../../contract/src/channels/gateway.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import { MODEL_NAME_MAX } from "../../../../contract/src/features/channels.ts";
import { firstCodePoints } from "../../util/text.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { checkBaseUrl } from "./rules.ts";

/** A price list of a large gateway has some hundred kilobytes. */
const LIMITS = { bytes: 4_194_304, timeoutMs: 10_000 } as const;
const TEXT_LENGTH = 200;

const number = z.number().catch(0);
const shortText = z
  .string()
  .catch("")
  .transform((text) => firstCodePoints(text, TEXT_LENGTH));

/** GetPricing of github.com/QuantumNous/new-api, controller/pricing.go; what is of another form is passed over. */
const pricingAnswer = z.object({
  success: z.literal(true),
  data: z.array(
    z.object({
      model_name: z.string().max(MODEL_NAME_MAX),
      quota_type: number,
      model_ratio: number,
      completion_ratio: number,
      model_price: number,
      enable_groups: z.array(z.string()).catch([]),
    }),
  ),
  group_ratio: z.record(z.string(), z.number()).catch({}),
  usable_group: z.record(z.string(), shortText).catch({}),
});

const statusAnswer = z.object({ data: z.object({ system_name: shortText }) });

async function jsonAt({ relay }: ConsoleContext, url: string): Promise<unknown> {
  const { status, body } = await relay.fetchGuarded({
    method: "GET",
    url,
    headers: { accept: "application/json" },
    limits: LIMITS,
  });
  if (status !== 200)
    throw new AppError("upstream_failed", {
      message: `status ${status} at ${new URL(url).pathname}`,
      field: "base_url",
    });
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw new AppError("upstream_failed", { message: "The answer is no JSON", field: "base_url", cause });
  }
}

/** Groups and prices of the gateway at an address. Throws AppError address_refused, upstream_failed, and what is wrong with the address. */
export async function gatewayAt(context: ConsoleContext, sent: string): Promise<GatewayInfo> {
  const base = checkBaseUrl(sent).replace(/(?:\/v1(?:beta)?)?\/*$/, "");
  if (base === "") throw new AppError("invalid_field", { field: "base_url", message: "Enter the gateway's address" });
  const [answer, about] = await Promise.all([
    jsonAt(context, `${base}/api/pricing`),
    jsonAt(context, `${base}/api/status`).catch(() => undefined),
  ]);
  const read = pricingAnswer.safeParse(answer);
  if (!read.success)
    throw new AppError("upstream_failed", {
      field: "base_url",
      message: "There is no price list of this API family at the address",
    });
  const { data, group_ratio: ratios, usable_group: usable } = read.data;
  const names = [...new Set([...Object.keys(usable), ...Object.keys(ratios)])].filter((name) => name !== "");
  return {
    system_name: statusAnswer.safeParse(about).data?.data.system_name ?? "",
    groups: names.slice(0, GATEWAY_GROUPS_MAX).map((name) => ({
      name: firstCodePoints(name, TEXT_LENGTH),
      description: usable[name] ?? "",
      ratio: ratios[name] ?? null,
      models: data.filter(({ enable_groups }) => enable_groups.includes(name) || enable_groups.includes("all")).length,
    })),
    models: data.slice(0, GATEWAY_MODELS_MAX).map(({ enable_groups: _groups, ...price }) => price),
    model_count: data.length,
  };
}
