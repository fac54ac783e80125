/** The control for an option that holds JSON: the editor, with the default as its template. */
import { JsonBoxOnUse } from "../../../ui/form/json-editor.tsx";
import type { FieldProps } from "./field.ts";

export const JsonField = ({ field, id }: FieldProps) => (
  <JsonBoxOnUse
    id={id}
    labelledBy={`${id}-label`}
    value={field.text}
    onChange={field.set}
    template={field.description.default}
    isInvalid={field.problem !== undefined}
  />
);
