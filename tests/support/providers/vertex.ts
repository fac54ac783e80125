/** Vertex AI by its documentation: what all families of models have in common there. */
import { PROJECT, accountKey } from "./google-account.ts";
import { type Hosted, type HostedFailure, startHosted } from "./hosted.ts";
import type { OwnVendor, SeenVendorRequest } from "./own-vendor.ts";
import { providerFixture } from "./fixtures.ts";

const REGION = "us-central1";

const failure = (name: string, kind: HostedFailure["kind"]): HostedFailure => ({
  name,
  kind,
  status: Number.parseInt(name, 10),
  body: providerFixture("vertex", `${name}.json`),
});

const GOOGLE: readonly HostedFailure[] = [
  failure("401-token", "auth"),
  failure("403-permission", "auth"),
  failure("429-exhausted", "rate"),
  failure("500-internal", "overloaded"),
  failure("503-unavailable", "overloaded"),
];

export const OF_GEMINI: readonly HostedFailure[] = [...GOOGLE, failure("400-invalid", "invalid")];
export const OF_CLAUDE: readonly HostedFailure[] = [
  ...GOOGLE,
  failure("529-claude", "overloaded"),
  failure("400-claude", "invalid"),
];
export const OF_OPEN_MODELS = GOOGLE;

/** After the project and the region; differs by family. */
type ReadTarget = (target: string, request: SeenVendorRequest) => Hosted | string;

/** A vendor of one family; `version` of the API is the one of its addresses. */
export function vertexVendor(
  own: Omit<OwnVendor, "type" | "key" | "other" | "failures" | "start">,
  version: string,
  failures: readonly HostedFailure[],
  readTarget: ReadTarget,
): OwnVendor {
  const prefix = `/${version}/projects/${PROJECT}/locations/${REGION}/`;
  return {
    ...own,
    type: 41,
    key: accountKey(),
    other: REGION,
    failures,
    start: () =>
      startHosted(failures, (request) => {
        const { path, headers } = request;
        if (!/^Bearer ya29\.token-\d+$/.test(headers.authorization ?? "")) return "there is no access token";
        return path.startsWith(prefix) ? readTarget(path.slice(prefix.length), request) : `there is no ${path}`;
      }),
  };
}
