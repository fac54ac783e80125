/** A provider as its own test drives it: addresses, requests after its quirks, and how it classifies the failures in its fixtures. */
import { parseOptions } from "../../../contract/src/options/options.ts";
import type { FormatName } from "../../../server/src/dialects/dialect.ts";
import type { Operation, Provider, UpstreamFailure } from "../../../server/src/providers/provider.ts";
import { providerFixture } from "./fixtures.ts";

type Body = Readonly<Record<string, unknown>>;

interface Asked {
  operation?: Operation;
  dialect?: FormatName;
  baseUrl?: string;
  model?: string;
  headers?: Readonly<Record<string, string>>;
}

export interface DocumentedProvider extends Required<Provider> {
  /** Where a call goes. */
  url(path: string, asked?: Asked): string;
  /** The headers of a call. */
  headers(asked?: Asked): string;
  /** The request as it is sent, and the names of the fields that the client is warned of. */
  sent(body: Body, asked?: Asked): Body;
  changed(body: Body, asked?: Asked): string[];
  /** The failure in a fixture, whose name begins with the status it comes with. */
  failed(fixture: string): UpstreamFailure;
}

const KEY = "key-of-the-test";

/** Parts that a provider may do without; each throws where a test asks for one that is not there. */
function absentParts(
  slug: string,
): Omit<Required<Provider>, "manifest" | "models" | "endpoint" | "quirks" | "failure"> {
  const absent = (part: keyof Provider) => () => {
    throw new Error(`${slug} has no ${part}`);
  };
  return {
    modelName: absent("modelName"),
    prepare: absent("prepare"),
    additions: absent("additions"),
    isFailure: absent("isFailure"),
    dialectsOf: absent("dialectsOf"),
    format: absent("format"),
    ownOperations: {},
    beforeSend: absent("beforeSend"),
    isLastMessage: absent("isLastMessage"),
    modelNames: absent("modelNames"),
    balance: absent("balance"),
    storedModels: {
      pull: absent("storedModels"),
      remove: absent("storedModels"),
      readStep: absent("storedModels"),
    },
  };
}

/** The provider with what its test asks of it. */
export function documentedProvider(provider: Provider): DocumentedProvider {
  const { manifest, quirks, endpoint, failure } = provider;
  const { defaultBaseUrl, dialects, slug } = manifest;
  const [first = "openai-chat"] = dialects;

  const called = (path: string, { operation = "chat", dialect = first, headers = {}, ...asked }: Asked) =>
    endpoint(
      { baseUrl: asked.baseUrl ?? defaultBaseUrl, key: KEY, other: "", openaiOrganization: "" },
      { operation, dialect, path, model: asked.model ?? "", isStream: false, headers },
    );

  const patches = (body: Body, { operation = "chat", dialect = first }: Asked) => {
    const model = String(body["model"]);
    let fields = body;
    const names = new Set<string>();
    for (const quirk of quirks.filter((each) => each.appliesTo(model, operation, dialect))) {
      const { remove = [], set = {} } = quirk.patch(fields, parseOptions(new Map()), model);
      for (const name of [...remove, ...Object.keys(set)]) names.add(name);
      const kept = Object.entries(fields).filter(([name]) => !remove.includes(name));
      fields = { ...Object.fromEntries(kept), ...set };
    }
    return { fields, names: [...names] };
  };

  return {
    ...absentParts(slug),
    ...provider,
    url: (path, asked = {}) => called(path, asked).url,
    headers: (asked = {}) => called("/v1/chat/completions", asked).headers.join(" "),
    sent: (body, asked = {}) => patches(body, asked).fields,
    changed: (body, asked = {}) => patches(body, asked).names,
    failed: (fixture) => failure(Number.parseInt(fixture, 10), providerFixture(slug, fixture)),
  };
}
