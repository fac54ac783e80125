/** A provider's rules for a channel's key and own fields: checked by the form before it is sent, and by the server before it is stored. Pure. */

/** The forms of a provider's key: the names of its parts, and whether it may be a JSON document instead. */
export interface KeyRules {
  readonly forms: readonly (readonly string[])[];
  readonly isDocument: boolean;
}

/** Stands between the parts of a key. */
const PART_MARK = "|";

function isJsonObject(text: string): boolean {
  if (!text.trimStart().startsWith("{")) return false;
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false; // Broken JSON is no document, which is what was asked.
  }
}

function hasParts(key: string, count: number): boolean {
  const parts = key.split(PART_MARK);
  return parts.length === count && parts.every((part) => part.trim() !== "");
}

/** Whether a key has one of its provider's forms; one whose provider names none may have all. */
export function hasKeyForm(key: string, { forms, isDocument }: KeyRules): boolean {
  if (forms.length === 0 && !isDocument) return true;
  return (isDocument && isJsonObject(key)) || forms.some(({ length }) => hasParts(key, length));
}

/** The forms as a sentence has them: `access_key|secret_key / JSON`. `nameOf` gives what a part is called. */
export function keyFormsText(
  { forms, isDocument }: KeyRules,
  nameOf: (part: string) => string = (part) => part,
): string {
  const texts = forms.map((form) => form.map(nameOf).join(PART_MARK));
  return [...texts, ...(isDocument ? ["JSON"] : [])].join(" / ");
}

/** A provider's rules for one of its own fields. */
export interface FieldRules {
  readonly isRequired: boolean;
  /** The values it may have; free text where there are none. */
  readonly choices: readonly string[];
  /** Source of a regular expression that a value has to match; blank for none. */
  readonly pattern: string;
}

export type FieldProblem = "missing" | "choice" | "pattern";

/** What is wrong with the value of a field; undefined where it may be stored. */
export function fieldProblem(value: string, { isRequired, choices, pattern }: FieldRules): FieldProblem | undefined {
  if (value === "") return isRequired ? "missing" : undefined;
  if (choices.length > 0 && !choices.includes(value)) return "choice";
  return pattern === "" || new RegExp(pattern).test(value) ? undefined : "pattern";
}
