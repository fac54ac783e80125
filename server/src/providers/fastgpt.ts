/** FastGPT: channel type 22, one app a key (doc.fastgpt.io/docs/development/openapi/chat). */
import { numberOf, objectOf, parseObject, textOf } from "../dialects/json/fields.ts";
import { readFailure, withKind } from "../dialects/neutral/failure.ts";
import { defineProvider } from "./define.ts";
import type { UpstreamErrorKind, UpstreamFailure } from "./provider.ts";

const SET_IN_THE_APP = "it is set in the FastGPT app, which passes over it";

// Failures of FastGPT: `{code, statusText, message}`, and events named `error` inside a stream (doc.fastgpt.io/docs/development/openapi).

const KINDS: Readonly<Record<string, UpstreamErrorKind>> = {
  unAuthApiKey: "auth",
  unAuthorization: "auth",
  aiPointsNotEnough: "quota",
  balanceNotEnough: "quota",
  tooManyRequest: "rate",
};

const ERROR_EVENT = /^event: ?error\r?$/m;
const ERROR_BODY = /^\s*(?:data: ?)?\{\s*"code"\s*:\s*[45]\d\d\s*,\s*"statusText"/m;

/** True for an event that is an error by its name, and a body that has its form. */
const isFailure = (text: string): boolean => ERROR_EVENT.test(text) || ERROR_BODY.test(text);

const failure = (status: number, body: string): UpstreamFailure =>
  withKind(
    readFailure(status, body, () => {
      const fields = objectOf(parseObject(body));
      const code = numberOf(fields["code"]) ?? 0;
      const isStatus = code >= 400 && code <= 599;
      return {
        message: textOf(fields["message"]),
        type: "",
        code: textOf(fields["statusText"]),
        status: isStatus ? code : 0,
      };
    }),
    KINDS,
  );

export const fastgpt = defineProvider({
  id: 22,
  slug: "fastgpt",
  name: "FastGPT",
  defaultBaseUrl: "https://api.fastgpt.in/api",
  keyHint: "fastgpt-...",
  models: [],
  operations: ["chat"],
  supportsStreamUsage: false,
  hasPlaceholderUsage: true,
  notice: "fastgpt",
  fields: [{ name: "base_url", label: "privateUrl", isRequired: false, placeholder: "https://api.fastgpt.in/api" }],
  refusedFields: {
    temperature: SET_IN_THE_APP,
    top_p: SET_IN_THE_APP,
    max_tokens: SET_IN_THE_APP,
    max_completion_tokens: SET_IN_THE_APP,
    tools: "the app has tools of its own",
    tool_choice: "the app has tools of its own",
  },
  mark: { glyph: "F", colour: "#3370ff" },
  failure,
  isFailure,
});
