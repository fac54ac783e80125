/** What the site's settings make of requests for Claude, and what Bedrock has elsewhere. */
import { CLAUDE_QUIRKS } from "../../dialects/anthropic-messages/vendors/site-settings.ts";
import type { Quirk } from "../provider.ts";

export {
  claudeName as modelName,
  withSiteSettings as prepare,
} from "../../dialects/anthropic-messages/vendors/site-settings.ts";

export const quirks: readonly Quirk[] = [
  ...CLAUDE_QUIRKS,
  {
    reason: "Bedrock takes no tier of service in the body",
    appliesTo: (_model, operation) => operation === "chat",
    patch: (body) => (body["service_tier"] === undefined ? {} : { remove: ["service_tier"] }),
  },
];
