/** Failures of FastGPT: `{code, statusText, message}`, and events named `error` inside a stream (doc.fastgpt.io/docs/development/openapi). */
import { numberOf, objectOf, parseObject, textOf } from "../../dialects/json/fields.ts";
import { readFailure, withKind } from "../../dialects/neutral/failure.ts";
import type { UpstreamErrorKind, UpstreamFailure } from "../provider.ts";

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
export const isFailure = (text: string): boolean => ERROR_EVENT.test(text) || ERROR_BODY.test(text);

export const failure = (status: number, body: string): UpstreamFailure =>
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
