/** Whether words of an upstream's error are the client's own: vendors repeat what they refuse. Part of what a failure is judged by. */
import { parseExactObject } from "../../dialects/json/exact.ts";
import type { Accepted } from "../request/accepted.ts";
import type { Attempts } from "./attempts.ts";

/** The body with every character spelled as JSON.stringify spells it, however the client escaped it. */
function bodyText({ body, form }: Accepted): string {
  const text = body.toString("utf8");
  const fields = form === undefined ? parseExactObject(text) : undefined;
  return fields === undefined ? text : JSON.stringify(fields);
}

function pathText(path: string): string {
  try {
    return decodeURIComponent(path.replaceAll("+", " "));
  } catch {
    return path;
  }
}

/** Makes the test for one call; the request is read when it is asked first, which is seldom. Words are compared without regard to case. */
export function echoTester({ call, accepted }: Attempts): (words: string) => boolean {
  let text: string | undefined;
  return (words) => {
    text ??= [pathText(accepted.path), ...call.request.rawHeaders, bodyText(accepted)].join("\n").toLowerCase();
    const spelled = JSON.stringify(words.toLowerCase()).slice(1, -1);
    return text.includes(words.toLowerCase()) || text.includes(spelled);
  };
}
