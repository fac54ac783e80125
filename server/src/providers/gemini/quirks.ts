/** What the site's settings make of requests for Gemini. */
export {
  GEMINI_QUIRKS as quirks,
  geminiName as modelName,
  siteAdditions as additions,
} from "../../dialects/gemini/vendors/site-settings.ts";
