/** The control for a list of short entries, one tag each. */
import { TagsInput } from "@mantine/core";
import type { FieldProps } from "../draft/settings.ts";

const entriesOf = (text: string): string[] =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");

export const EntriesField = (props: FieldProps) => (
  <TagsInput
    id={props.id}
    aria-describedby={props.describedBy}
    value={entriesOf(props.field.text)}
    error={props.field.problem !== undefined}
    splitChars={[",", " ", "，"]}
    acceptValueOnBlur
    onChange={(entries) => props.field.set(entries.join(","))}
  />
);
