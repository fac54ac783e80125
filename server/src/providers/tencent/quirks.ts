/** Where Hunyuan's compatible service differs from OpenAI's chat completions (cloud.tencent.com/document/product/1729/111007). */
import { effortAsSwitch, olderLimit, systemRole } from "../../dialects/openai-chat/compatible.ts";
import type { FormatName } from "../../dialects/dialect.ts";
import type { Operation, Quirk } from "../provider.ts";

const isCompatible = (_model: string, operation: Operation, dialect: FormatName): boolean =>
  operation === "chat" && dialect === "openai-chat";

export const quirks: readonly Quirk[] = [
  { reason: "the vendor knows the role system and no developer", appliesTo: isCompatible, patch: systemRole },
  { reason: "the vendor bounds answers by max_tokens alone", appliesTo: isCompatible, patch: olderLimit },
  {
    reason: "the vendor's models think by their name, or by a field of the vendor's own",
    appliesTo: isCompatible,
    patch: (body) => effortAsSwitch(body, () => ({})),
  },
];
