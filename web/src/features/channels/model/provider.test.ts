/** Tests of what a provider's manifest asks of the form: keys by their forms, fields by choice and pattern, and choices that are never blank. */
import { expect, test } from "vitest";
import type { ProviderRow } from "../../../../../contract/src/channels/provider-row.ts";
import { checkForm, NEW_CHANNEL } from "./form.ts";
import { changeTo, fieldError, haveKeyForms, type ManifestField } from "./provider.ts";

const kind: ManifestField = {
  name: "other",
  label: "appKind",
  is_required: true,
  placeholder: "",
  choices: [
    { value: "chat", label: "appChat" },
    { value: "workflow", label: "appWorkflow" },
  ],
  pattern: "",
};
const provider = (change: Partial<ProviderRow> = {}): ProviderRow => ({
  id: 99,
  slug: "zenith",
  name: "Zenith",
  default_base_url: "",
  key_hint: "",
  key_forms: [],
  is_key_document: false,
  notice: "",
  is_retired: false,
  fields: [],
  models: [],
  can_test: true,
  tells_balance: false,
  lists_models: false,
  stores_models: false,
  mark: { glyph: "Z", colour: "#000000" },
  ...change,
});
const TWO_FORMS = provider({ key_forms: [["app", "secret", "key"], ["password"]] });
const DOCUMENT = provider({ is_key_document: true });

test.each([
  ["anything|at all", provider(), true],
  ["a|b|c", TWO_FORMS, true],
  ["alone", TWO_FORMS, true],
  ["a|b", TWO_FORMS, false],
  ["a| |c", TWO_FORMS, false],
  ["a|b|c\nalone\n\na|b", TWO_FORMS, false],
  ['{\n "client_email": "a"\n}', DOCUMENT, true],
  ['{"client_email": ', DOCUMENT, false],
  ["a|b", DOCUMENT, false],
  ["a|b", provider({ is_key_document: true, key_forms: [["id", "secret"]] }), true],
])("the key %j, of the forms of %j: %s", (key, of, isGood) => {
  expect(haveKeyForms(key, of)).toBe(isGood);
  expect(checkForm({ ...NEW_CHANNEL, name: "a", models: ["m"], key }, of)).toEqual(
    isGood ? {} : { key: "errors.keyForm" },
  );
});

test("a field is refused where it is blank and needed, none of its choices, or not of its form", () => {
  expect(fieldError(" ", kind)).toBe("errors.missing.appKind");
  expect(fieldError("agent", kind)).toBe("errors.choice");
  expect(fieldError("chat", kind)).toBeUndefined();
  const digits = { ...kind, choices: [], pattern: "^\\d+$", is_required: false };
  expect([fieldError("a1", digits), fieldError("12", digits), fieldError("", digits)]).toEqual([
    "errors.pattern",
    undefined,
    undefined,
  ]);
});

test("choosing a provider sets what must be chosen, and keeps what it knows", () => {
  const chooser = provider({ fields: [kind] });
  expect(changeTo(NEW_CHANNEL, 99, chooser)).toEqual({ type: 99, other: "chat" });
  expect(changeTo({ ...NEW_CHANNEL, other: "workflow" }, 99, chooser)).toEqual({ type: 99 });
  const optional = provider({ fields: [{ ...kind, is_required: false }] });
  expect(changeTo({ ...NEW_CHANNEL, other: "v2.1" }, 99, optional)).toEqual({ type: 99, other: "" });
});
