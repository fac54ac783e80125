/** What the site's settings make of requests for Claude, and what Bedrock has elsewhere. */
import {
  CLAUDE_QUIRKS,
  claudeName,
  withSiteSettings,
} from "../../dialects/anthropic-messages/vendors/site-settings.ts";
import type { Provider, Quirk } from "../provider.ts";
import { isClaude } from "./models.ts";

// Other makers' models have names of their own that end in -thinking.
export const modelName: NonNullable<Provider["modelName"]> = (model, options) =>
  isClaude(model) ? claudeName(model, options) : model;

export const prepare: NonNullable<Provider["prepare"]> = (request, site) =>
  isClaude(request.model) ? withSiteSettings(request, site) : request;

export const quirks: readonly Quirk[] = [
  ...CLAUDE_QUIRKS.map((quirk): Quirk => ({
    ...quirk,
    appliesTo: (model, operation, dialect) => isClaude(model) && quirk.appliesTo(model, operation, dialect),
  })),
  {
    reason: "Bedrock takes no tier of service in the body",
    appliesTo: (model, operation) => operation === "chat" && isClaude(model),
    patch: (body) => (body["service_tier"] === undefined ? {} : { remove: ["service_tier"] }),
  },
];
