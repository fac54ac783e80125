/** Failures of Azure, told by their codes (learn.microsoft.com/en-us/azure/foundry/openai/concepts/content-filter, .../how-to/quota). */
import { readFailure, withKind } from "../../dialects/neutral/failure.ts";
import type { UpstreamErrorKind, UpstreamFailure } from "../provider.ts";

const KINDS: Readonly<Record<string, UpstreamErrorKind>> = {
  content_filter: "content",
  contentFilter: "content",
  ResponsibleAIPolicyViolation: "content",
};

/** Another channel may have the deployment that this resource lacks, or another kind of model behind the name. */
const OF_THE_RESOURCE: ReadonlySet<string> = new Set(["DeploymentNotFound", "OperationNotSupported"]);

export function failure(status: number, body: string): UpstreamFailure {
  const read = withKind(readFailure(status, body), KINDS);
  if (!OF_THE_RESOURCE.has(read.code)) return read;
  // Some models are served in the format of Responses alone.
  const lacks = read.code === "OperationNotSupported" ? ({ missingFormat: "model" } as const) : {};
  return { ...read, ...lacks, isRetryable: true };
}
