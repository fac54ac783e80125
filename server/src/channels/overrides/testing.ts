/** What tests of overrides share: rules applied to a body, with the headers of one upstream. */
import { checkOverrideText, type Overridden, type OverrideRequest } from "./override.ts";

export type Fields = Record<string, unknown>;

/** The rules as they are saved, applied to a body, which is changed in place. Throws what saving and applying throw. */
export function run(
  operations: readonly object[],
  body: Fields | undefined,
  request: Partial<OverrideRequest> = {},
): Overridden & { body: Fields | undefined } {
  const made = checkOverrideText(JSON.stringify({ operations })).apply({
    body,
    headers: ["content-type", "application/json", "user-agent", "Turnpike", "authorization", "Bearer sk-up"],
    clientHeaders: {},
    facts: {},
    apiKey: "sk-up",
    ...request,
  });
  return { ...made, body };
}
