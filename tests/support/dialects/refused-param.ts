/** The field of a request that cannot be translated, for tests of the formats. */
import { TranslationFault } from "../../../server/src/dialects/neutral/neutral.ts";

/** The field that the TranslationFault of `run` names; "none" where nothing is thrown. Throws every other error on. */
export function refusedParam(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof TranslationFault) return error.param;
    throw error;
  }
  return "none";
}
