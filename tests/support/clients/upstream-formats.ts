/** The four formats as upstreams of a test: a channel each, so that every client can be sent to every one of them. */
import type { DialectName } from "../../../server/src/dialects/neutral/neutral.ts";
import { openai } from "../../../server/src/providers/openai.ts";
import type { Provider } from "../../../server/src/providers/provider.ts";
import { BUILT_IN_PROVIDERS, type ProviderRegistry, providerRegistry } from "../../../server/src/providers/registry.ts";

export interface UpstreamFormat {
  name: DialectName;
  /** Channel type. */
  type: number;
  /** A model of its own, by which a call is routed to it. */
  model: string;
}

/** OpenAI's provider speaks two formats, so each has a type of its own here that speaks only that one. */
export const UPSTREAM_FORMATS: readonly UpstreamFormat[] = [
  { name: "openai-chat", type: 9001, model: "gpt-4o" },
  { name: "openai-responses", type: 9002, model: "gpt-4.1" },
  { name: "anthropic-messages", type: 14, model: "claude-sonnet-4-5" },
  { name: "gemini", type: 24, model: "gemini-2.5-flash" },
];

const ownTypes = UPSTREAM_FORMATS.filter(({ type }) => type > 9000);

/** OpenAI's provider under each of the two types above. */
export const ONE_FORMAT_PROVIDERS: readonly Provider[] = ownTypes.map(({ name, type }) => ({
  ...openai,
  manifest: { ...openai.manifest, id: type, slug: name, dialects: [name] },
}));

/** The built-in providers and the two types above. */
export const providersOfAllFormats = (): ProviderRegistry =>
  providerRegistry([...BUILT_IN_PROVIDERS, ...ONE_FORMAT_PROVIDERS]);
