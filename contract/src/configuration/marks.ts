/** Marks of what a configuration file manages: of which kind it is, by which file, and whether the console may change it. */
import { z } from "zod";

/** What a configuration file can manage. */
export const MANAGED_KINDS = ["option", "price", "channel", "provider"] as const;
export type ManagedKind = (typeof MANAGED_KINDS)[number];

/** A name of a configuration, and of a channel in it. */
export const CONFIGURATION_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

export const managedMark = z.object({
  kind: z.enum(MANAGED_KINDS),
  /** Name of the option, the model, the channel or the provider in the file. */
  name: z.string(),
  /** Id of the channel or the provider; 0 for options and prices. */
  target_id: z.number(),
  /** Name of the configuration. */
  managed_by: z.string(),
  /** The console and its API refuse to change it. */
  is_locked: z.boolean(),
  /** When an apply last wrote it; Unix seconds. */
  updated_time: z.number(),
  /** Username of the person who applied it; "" for the command line and for deleted accounts. */
  updated_by: z.string(),
});
export type ManagedMark = z.output<typeof managedMark>;
