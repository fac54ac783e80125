/** How values of options stand in the administrators' log: whole, or cut where they are long. */

/** Longest value repeated in the log, in characters. */
const AUDIT_LENGTH = 2_000;
const CUT = "…";

export const auditText = (text: string): string =>
  text.length > AUDIT_LENGTH ? `${text.slice(0, AUDIT_LENGTH)}${CUT}` : text;

/** Whether a text of the log is not the whole value. */
export const isCut = (text: string): boolean => text.length > AUDIT_LENGTH && text.endsWith(CUT);
