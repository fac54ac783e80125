/** The control for an option that holds JSON: the editor, with the default as its template. */
import { Textarea } from "@mantine/core";
import { JsonBoxOnUse } from "../../../ui/form/json-editor.tsx";
import type { FieldProps } from "../draft/settings.ts";
import styles from "./fields.module.css";

export const JsonField = ({ field, id, describedBy }: FieldProps) =>
  field.isReadOnly ? (
    <Textarea
      id={id}
      aria-describedby={describedBy}
      classNames={{ input: styles.area ?? "" }}
      autosize
      maxRows={16}
      value={field.text}
      readOnly
    />
  ) : (
    <JsonBoxOnUse
      id={id}
      labelledBy={`${id}-label`}
      value={field.text}
      onChange={field.set}
      template={field.description.default}
      isInvalid={field.problem !== undefined}
    />
  );
