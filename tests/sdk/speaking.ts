/** The providers, with OpenAI restricted to the format under test; for the tests of the official libraries. */
import type { DialectName } from "../../server/src/dialects/neutral/neutral.ts";
import { providerRegistry } from "../../server/src/providers/registry.ts";
import type { ProviderRegistry } from "../../server/src/providers/registry.ts";

export async function speaking(dialect: DialectName): Promise<ProviderRegistry> {
  const { all } = providerRegistry();
  const providers = all.map((provider) =>
    provider.manifest.id === 1 && dialect.startsWith("openai")
      ? { ...provider, manifest: { ...provider.manifest, dialects: [dialect] } }
      : provider,
  );
  return { all: providers, byType: (type) => providers.find(({ manifest }) => manifest.id === type) };
}
