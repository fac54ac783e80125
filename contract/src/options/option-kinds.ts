/** The kinds of options, by which the settings page renders their fields. */

/** `content` is Markdown or HTML of the operator, `picture` an address of an image. */
export const OPTION_KINDS = [
  "boolean",
  "integer",
  "decimal",
  "text",
  "content",
  "picture",
  "choice",
  "lines",
  "commaList",
  "json",
  "url",
] as const;
export type OptionKind = (typeof OPTION_KINDS)[number];

/** What a number counts. */
export const OPTION_UNITS = ["quota", "tokens", "calls", "seconds", "minutes", "days", "mebibytes"] as const;
export type OptionUnit = (typeof OPTION_UNITS)[number];

/** Who may set an option: the super administrator alone, or every administrator. */
export const OPTION_OWNERS = ["root", "admin"] as const;
export type OptionOwner = (typeof OPTION_OWNERS)[number];
