/** A deviation that several vendors of one format share; providers list it among their quirks. */
import type { OptionValues } from "../../../contract/src/options/options.ts";
import type { FormatName } from "./dialect.ts";
import type { JsonObject } from "./neutral/neutral.ts";

/** What the site sets for a client's call: the options, and the name of the model that the client asked for. */
export interface SiteSettings {
  options: OptionValues;
  requestedModel: string;
}

export interface FormatQuirk {
  reason: string;
  appliesTo(model: string, operation: string, dialect: FormatName): boolean;
  /** Fields to drop and fields to set, on the top level of the request; `model` is its whole name. */
  patch(
    body: JsonObject,
    options: OptionValues,
    model: string,
  ): { remove?: readonly string[]; set?: JsonObject; effort?: string };
}
