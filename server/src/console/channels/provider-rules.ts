/** A provider's rules for a channel's key and fields, by its manifest: refused with the name of the field, before anything is stored. */
import {
  fieldProblem,
  type FieldProblem,
  type FieldRules,
  hasKeyForm,
  keyFormsText,
  type KeyRules,
} from "../../../../contract/src/channels/provider-rules.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import type { ProviderInfo } from "../relay-tools.ts";

type Manifest = ProviderInfo["manifest"];
type Field = Manifest["fields"][number];

const keyRulesOf = ({ keyForms = [], isKeyDocument = false }: Manifest): KeyRules => ({
  forms: keyForms,
  isDocument: isKeyDocument,
});

/** Throws channel_key_form or channel_keys_form where a key has none of the forms that its provider knows. */
export function checkKeyForms(manifest: Manifest, keys: readonly string[]): void {
  const rules = keyRulesOf(manifest);
  const at = keys.findIndex((key) => !hasKeyForm(key, rules));
  if (at === -1) return;
  const forms = keyFormsText(rules);
  if (keys.length === 1)
    throw new AppError("channel_key_form", {
      message: `The key of ${manifest.name} must have the form ${forms}`,
      field: "key",
      values: { forms },
    });
  throw new AppError("channel_keys_form", {
    message: `Key ${at + 1} of ${keys.length} does not have the form ${forms}`,
    field: "key",
    values: { forms, position: at + 1, count: keys.length },
  });
}

const fieldRulesOf = ({ isRequired, choices = [], pattern = "" }: Field): FieldRules => ({
  isRequired,
  choices: choices.map(({ value }) => value),
  pattern,
});

function refusal(problem: FieldProblem, { name }: Manifest, field: Field): AppError {
  if (problem === "missing")
    return new AppError("channel_field_missing", {
      message: `Channels of type ${name} need ${field.name}`,
      field: field.name,
      values: { provider: name },
    });
  const allowed =
    problem === "choice" ? (field.choices ?? []).map(({ value }) => value).join(", ") : (field.placeholder ?? "");
  return new AppError("channel_field_form", {
    message: `${field.name} of type ${name} must be ${problem === "choice" ? "one of" : "of the form"} ${allowed}`,
    field: field.name,
    values: { allowed },
  });
}

/**
 * Throws channel_field_missing or channel_field_form, naming the field, where one that the provider asks for is blank or none of what it
 * may be.
 */
export function checkFields(manifest: Manifest, values: Readonly<Record<string, string>>): void {
  for (const field of manifest.fields) {
    const problem = fieldProblem(values[field.name] ?? "", fieldRulesOf(field));
    if (problem !== undefined) throw refusal(problem, manifest, field);
  }
}
