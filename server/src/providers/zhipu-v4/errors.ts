/** Failures of Zhipu, whose codes say what its statuses do not (docs.bigmodel.cn/cn/faq/api-code). */
import { readFailure, withKind } from "../../dialects/neutral/failure.ts";
import type { UpstreamErrorKind, UpstreamFailure } from "../provider.ts";

const KINDS: Readonly<Record<string, UpstreamErrorKind>> = {
  "1000": "auth",
  "1001": "auth",
  "1002": "auth",
  "1003": "auth",
  "1004": "auth",
  "1110": "auth",
  "1111": "auth",
  "1112": "auth",
  "1113": "quota",
  "1120": "overloaded",
  "1121": "auth",
  "1234": "overloaded",
  "1301": "content",
  "1302": "rate",
  "1303": "rate",
  "1304": "rate",
  "1305": "overloaded",
  "1308": "rate",
  "1309": "quota",
  "1310": "rate",
  "1311": "auth",
  "1312": "overloaded",
  "1313": "rate",
};

export const failure = (status: number, body: string): UpstreamFailure => withKind(readFailure(status, body), KINDS);
