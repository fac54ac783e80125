/** Which types of entries the address asks for: calls where it says nothing, one type, or every type. Pure. */
import { LOG_TYPE } from "../../../../../contract/src/constants.ts";

/** The API's own word for all of them. */
export const EVERY_TYPE = "0";
const CALLS = `${LOG_TYPE.consumption},${LOG_TYPE.error}`;

/** What the API is asked for. @param type as the address has it */
export function typesAsked(type: string | undefined): { type?: string; types?: string } {
  if (type === EVERY_TYPE) return {};
  return type === undefined ? { types: CALLS } : { type };
}
