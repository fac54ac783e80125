/** Where Spark's compatible service differs from OpenAI's chat completions (xfyun.cn/doc/spark/HTTP调用文档.html, /X1http.html). */
import { effortAsSwitch, olderLimit, systemRole } from "../../dialects/openai-chat/compatible.ts";
import type { FormatName } from "../../dialects/dialect.ts";
import { listOf } from "../../dialects/json/fields.ts";
import type { Operation, Quirk } from "../provider.ts";

const isCompatible = (_model: string, operation: Operation, dialect: FormatName): boolean =>
  operation === "chat" && dialect === "openai-chat";
const canThink = (model: string): boolean => /^(?:x\d|spark-x)/.test(model);

export const quirks: readonly Quirk[] = [
  { reason: "the vendor knows the role system and no developer", appliesTo: isCompatible, patch: systemRole },
  { reason: "the vendor bounds answers by max_tokens alone", appliesTo: isCompatible, patch: olderLimit },
  {
    reason: "the vendor's models think or do not, by a field of its own where they can",
    appliesTo: isCompatible,
    patch: (body, _options, model) =>
      effortAsSwitch(body, (isOn) => (canThink(model) ? { thinking: { type: isOn ? "enabled" : "disabled" } } : {})),
  },
  {
    reason: "the vendor gives calls of tools as a list only where it is told to",
    appliesTo: isCompatible,
    patch: (body) =>
      listOf(body["tools"]).length === 0 || body["tool_calls_switch"] !== undefined
        ? {}
        : { set: { tool_calls_switch: true } },
  },
];
