/** What the control of one option is given. Label, help, errors and conflicts stand around it. */
import type { OptionField } from "../draft/settings.ts";

export interface FieldProps {
  field: OptionField;
  /** Id of the control, which the label points to; the label's own id is `${id}-label`. */
  id: string;
  /** Id of the help or the error. */
  describedBy: string;
  /** The label's text, for controls of several parts. */
  label: string;
}
