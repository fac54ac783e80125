/** Maps neutral field names in warnings and faults to those of the client's format; part of the hub. */
import { ownOf } from "../json/fields.ts";
import { TranslationFault } from "./neutral.ts";

/** Own names of fields that the neutral request calls as chat completions do, where they differ. */
export type FieldNames = Readonly<Record<string, string>>;

/** Places in the neutral conversation are not those of the client's, where messages were joined or split. */
const isInMessages = (field: string): boolean => field === "messages" || /^messages[.[]/.test(field);

/** The client's own name for a field; the field itself where it has no other. */
export function ownName(names: FieldNames, field: string): string {
  const found = isInMessages(field) ? "messages" : field;
  return ownOf(names, found) ?? found;
}

/** An encoder's fault with the client's field name; anything else is returned unchanged. */
export const inOwnWords = (names: FieldNames, fault: unknown): unknown =>
  fault instanceof TranslationFault ? new TranslationFault(ownName(names, fault.param), fault.message) : fault;
