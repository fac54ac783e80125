/** The form's fields as the provider's manifest has them, and what choosing another provider changes. Pure. */
import { fieldProblem, hasKeyForm, type KeyRules } from "../../../../../contract/src/channels/provider-rules.ts";
import { readKeys } from "../../../../../contract/src/channels/key-text.ts";
import type { ProviderRow } from "../../../../../contract/src/channels/provider-row.ts";

export type ManifestField = ProviderRow["fields"][number];

/** The form's fields that manifests ask for. */
type ManifestValues = Readonly<Record<ManifestField["name"], string>>;

export const keyRulesOf = (provider: ProviderRow | undefined): KeyRules => ({
  forms: provider?.key_forms ?? [],
  isDocument: provider?.is_key_document ?? false,
});

/** Whether every key that was typed has one of the provider's forms. What cannot be read has none of those there are. */
export function haveKeyForms(text: string, provider: ProviderRow | undefined): boolean {
  const rules = keyRulesOf(provider);
  if (rules.forms.length === 0 && !rules.isDocument) return true;
  const { keys, brokenLine } = readKeys(text);
  return brokenLine === undefined && keys.every((key) => hasKeyForm(key, rules));
}

/** The sentence of what is wrong with the value of a manifest's field; undefined where it may be sent. */
export function fieldError(value: string, field: ManifestField | undefined): string | undefined {
  if (field === undefined) return undefined;
  const { label, is_required: isRequired, choices, pattern } = field;
  const problem = fieldProblem(value.trim(), { isRequired, choices: choices.map((choice) => choice.value), pattern });
  if (problem === "missing") return `errors.missing.${label}`;
  return problem === undefined ? undefined : problem === "choice" ? "errors.choice" : "errors.pattern";
}

/** Changes by choosing a provider: a field that must have one of some values gets the first of them. */
export function changeTo(
  form: ManifestValues,
  type: number,
  provider: ProviderRow | undefined,
): { type: number } & Partial<ManifestValues> {
  const chosen = (provider?.fields ?? []).flatMap(({ name, choices, is_required: isRequired }) => {
    if (choices.length === 0 || choices.some(({ value }) => value === form[name])) return [];
    return [[name, isRequired ? (choices[0]?.value ?? "") : ""] as const];
  });
  return { type, ...Object.fromEntries(chosen) };
}
