/** The groups and prices that another gateway of this API family publishes, read before a channel to it is created. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";

/** Groups and models of one answer; what is beyond is counted only. */
export const GATEWAY_GROUPS_MAX = 200;
export const GATEWAY_MODELS_MAX = 1000;

const gatewayInfo = z.object({
  /** Blank where its status names none. */
  system_name: z.string(),
  groups: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      /** Of its prices; null where it is not published. */
      ratio: z.number().nullable(),
      models: z.number(),
    }),
  ),
  models: z.array(
    z.object({
      model_name: z.string(),
      /** 0: priced by tokens. 1: priced by call. */
      quota_type: z.number(),
      /** A ratio of 1 is 2 USD per 1M tokens, before the ratio of a group. */
      model_ratio: z.number(),
      completion_ratio: z.number(),
      /** USD per call. */
      model_price: z.number(),
    }),
  ),
  /** All models that it lists, also those beyond the ones above. */
  model_count: z.number(),
});
export type GatewayInfo = z.output<typeof gatewayInfo>;

export const readGateway = endpoint({
  method: "POST",
  path: "/api/channel/gateway",
  access: "admin",
  object: "none",
  act: "channels_write",
  summary:
    "Groups and prices that another gateway of this API family publishes (`/api/pricing` and `/api/status` there), for a base URL",
  body: z.object({ base_url: z.string() }),
  data: gatewayInfo,
});
