/** Which models callers would lose by a change to channels, computed before the change; and the models that no enabled channel offers now. */
import { z } from "zod";
import { channelChoiceWith } from "./channel-list.ts";
import { endpoint } from "../endpoint.ts";
import { nameList, nameText } from "../names.ts";

/** An answer names so many models, those with most calls first; `total` counts all. */
export const LOST_MODELS_LISTED = 200;

/** Acts after which the channels serve nothing any more. */
const stop = { act: z.enum(["disable_channels", "delete_channels"]) };

/** The same new values for all of the channels; what is absent stays as each channel has it. */
const edit = {
  act: z.literal("edit_channels"),
  /** Comma-joined. */
  models: nameList.optional(),
  /** A list of names, or comma-joined. */
  groups: z.union([nameText, z.array(nameText)]).optional(),
  type: z.number().optional(),
  priority: z.union([z.number(), z.string()]).optional(),
  weight: z.union([z.number(), z.string()]).optional(),
};

/** One model is taken off the channels; those that have no other keep it. */
const take = { act: z.literal("take_model"), model: nameText };

const lostModel = z.object({
  model: z.string(),
  /** The groups that have no enabled channel for it; empty where no channel says any more which they were. */
  groups: z.array(z.string()),
  /** Calls to it in the last 24 hours, of all users. */
  calls: z.number(),
});
export type LostModel = z.output<typeof lostModel>;

const lostModels = z.object({
  models: z.array(lostModel),
  /** How many models there are. */
  total: z.number(),
  /** Calls to all of them in the last 24 hours. */
  calls: z.number(),
});
export type LostModels = z.output<typeof lostModels>;

const impact = lostModels.extend({
  /** Models that keep a single enabled channel in some group, and had more. */
  single: z.object({ models: z.array(lostModel), total: z.number() }),
  /** Models that stay and whose calls go to other channels first, or to the first ones in other shares. */
  moved: z.object({ models: z.array(lostModel), total: z.number() }),
  /** The groups that lose a model. */
  groups: z.array(z.string()),
  /** Accounts whose calls to the lost models, in those groups, were charged in the last 24 hours. */
  people: z.number(),
  /** Tokens of which the same is true. */
  tokens: z.number(),
});
export type Impact = z.output<typeof impact>;

/** The channels as lists choose them, or all of a tag. */
export const impactQuestion = z.union([
  channelChoiceWith(stop),
  z.object({ ...stop, tag: z.string() }),
  channelChoiceWith(edit),
  z.object({ ...edit, tag: z.string() }),
  channelChoiceWith(take),
]);
export type ImpactQuestion = z.input<typeof impactQuestion>;

export const getImpact = endpoint({
  method: "POST",
  path: "/api/impact",
  access: "admin",
  act: "channels_see",
  object: "site",
  summary:
    "What an act would take from callers, without doing it: the models that lose their last enabled channel in some group, how many calls, people and tokens of the last 24 hours that touches, the models that are left with one channel, and those whose calls go to other channels first",
  body: impactQuestion,
  data: impact,
});

export const listLostModels = endpoint({
  method: "GET",
  path: "/api/channel/models_lost",
  access: "admin",
  act: "channels_see",
  object: "site",
  summary:
    "Models whose calls fail for want of a channel: those that only disabled channels offer to some group, and those that no channel offers any more although a channel served them in the last 24 hours, or they have a price of the operator's own and were called. With the calls of the last 24 hours",
  data: lostModels,
});
