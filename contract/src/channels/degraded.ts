/** Whether something is wrong with channels now, for the mark in the navigation. Apart from health.ts, since every page of an administrator loads it. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";

/** What is wrong now. Channels that an administrator has disabled are not among them. */
export const degradedHealth = z.object({
  is_degraded: z.boolean(),
  /** Models without an enabled channel. */
  lost_models: z.number(),
  /** Channels that are cooling down, or a key of which is. */
  cooling: z.number(),
  /** Channels that were disabled after failures. */
  auto_disabled: z.number(),
  /** Enabled channels with a success rate below 95 % of at least 20 attempts. */
  failing: z.number(),
});
export type DegradedHealth = z.output<typeof degradedHealth>;

export const getDegradedHealth = endpoint({
  method: "GET",
  path: "/api/channel/health/degraded",
  access: "admin",
  act: "channels_see",
  object: "site",
  summary:
    "Whether something is wrong now: models without a channel, channels cooling down, disabled after failures, or with a success rate below 95 % of at least 20 attempts in this hour (with the one before, where it has fewer)",
  data: degradedHealth,
});
