/** Which control each kind of option has, and whether it stands beside its label or below it. */
import { lazy } from "react";
import type { OptionDescription } from "../../../../../contract/src/features/options.ts";
import type { OptionControl } from "../sections/parts.tsx";
import {
  JsonField,
  ChoiceField,
  LineField,
  NumberTextField,
  SwitchField,
  TextField,
  SecretField,
} from "./plain-fields.tsx";

const EntriesField = lazy(async () => ({ default: (await import("./entries-field.tsx")).EntriesField }));

interface Control {
  Control: OptionControl;
  /** Below its label, as wide as the page. */
  isWide?: boolean;
}

const CONTROLS: Readonly<Record<OptionDescription["kind"], Control>> = {
  boolean: { Control: SwitchField },
  integer: { Control: NumberTextField },
  decimal: { Control: NumberTextField },
  text: { Control: LineField },
  url: { Control: LineField },
  picture: { Control: LineField },
  choice: { Control: ChoiceField },
  content: { Control: TextField, isWide: true },
  lines: { Control: TextField, isWide: true },
  commaList: { Control: EntriesField, isWide: true },
  json: { Control: JsonField, isWide: true },
};

/** Lists and choices that are longer by default than a place beside their label. */
const LONG_LINES = new Set(["AutomaticRetryStatusCodes", "AutomaticDisableStatusCodes", "WebSearchProvider"]);

export function controlOf({ key, kind, is_secret: isSecret }: OptionDescription): Control {
  if (isSecret) return { Control: SecretField };
  return LONG_LINES.has(key) ? { ...CONTROLS[kind], isWide: true } : CONTROLS[kind];
}
