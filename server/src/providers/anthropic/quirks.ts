/** What the site's settings make of requests for Claude. */
export {
  CLAUDE_QUIRKS as quirks,
  claudeName as modelName,
  withSiteSettings as prepare,
} from "../../dialects/anthropic-messages/vendors/site-settings.ts";
