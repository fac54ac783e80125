/** Failures of Dify: `{code, message, status}`, as a body or as an event of a stream, and workflows that failed (docs.dify.ai/api-reference). */
import { numberOf, objectOf, parseObject, textOf } from "../../dialects/json/fields.ts";
import { type ErrorWords, readFailure, withKind } from "../../dialects/neutral/failure.ts";
import type { UpstreamErrorKind, UpstreamFailure } from "../provider.ts";

/** Codes of status 400 that speak of the app, its settings or its models, which the app of another channel may have in order. */
const KINDS: Readonly<Record<string, UpstreamErrorKind>> = {
  unauthorized: "auth",
  provider_not_initialize: "auth",
  provider_quota_exceeded: "quota",
  app_unavailable: "overloaded",
  not_chat_app: "overloaded",
  not_completion_app: "overloaded",
  not_workflow_app: "overloaded",
  model_currently_not_support: "overloaded",
  completion_request_error: "overloaded",
  workflow_failed: "overloaded",
  workflow_paused: "invalid",
  rate_limit_error: "rate",
  too_many_requests: "rate",
};

/** A workflow that ended without an answer says so in the event of its end. */
function workflowWords(data: Readonly<Record<string, unknown>>): ErrorWords {
  if (data["status"] === "paused")
    return {
      message: "The workflow waits for a person, which a call cannot.",
      type: "",
      code: "workflow_paused",
      status: 400,
    };
  return { message: textOf(data["error"]) || "The workflow failed.", type: "", code: "workflow_failed", status: 500 };
}

function words(parsed: unknown): ErrorWords {
  const fields = objectOf(parsed);
  if (textOf(fields["event"]).startsWith("workflow_")) return workflowWords(objectOf(fields["data"]));
  return {
    message: textOf(fields["message"]),
    type: "",
    code: textOf(fields["code"]),
    status: numberOf(fields["status"]) ?? 0,
  };
}

export const failure = (status: number, body: string): UpstreamFailure =>
  withKind(
    readFailure(status, body, () => words(parseObject(body))),
    KINDS,
  );
