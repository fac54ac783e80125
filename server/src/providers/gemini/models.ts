/** Models a new Gemini channel starts with. */
export { GEMINI_MODELS as models } from "../../dialects/gemini/models.ts";
