/** Finds the provider folders at the start: relay, channel form, /api/models and documentation all read this one table. */
import { readdir } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Provider, ProviderManifest, Quirk } from "./provider.ts";

export interface ProviderRegistry {
  /** Ordered by channel type. */
  readonly all: readonly Provider[];
  /** Undefined for a channel type nobody provides. */
  byType(type: number): Provider | undefined;
}

/** Folders that come with the program. */
export const BUILT_IN_PROVIDERS = fileURLToPath(new URL(".", import.meta.url));

/** What the files of a folder export, by file. */
interface ProviderModules {
  manifest: { manifest: ProviderManifest };
  endpoint: { endpoint: Provider["endpoint"] };
  quirks: { quirks: readonly Quirk[] } & Pick<Provider, "modelName" | "prepare" | "additions">;
  errors: { failure: Provider["failure"] };
  models: { models: readonly string[] };
}

async function loadFile<Name extends keyof ProviderModules>(
  folder: string,
  name: Name,
): Promise<ProviderModules[Name]> {
  return (await import(pathToFileURL(`${folder}/${name}.ts`).href)) as ProviderModules[Name];
}

function checkComplete(folder: string, provider: Provider): Provider {
  const isComplete =
    Number.isInteger(provider.manifest?.id) &&
    typeof provider.endpoint === "function" &&
    typeof provider.failure === "function" &&
    Array.isArray(provider.quirks) &&
    Array.isArray(provider.models);
  if (!isComplete) throw new Error(`the provider folder ${folder} does not export what every provider has`);
  return provider;
}

async function loadProvider(folder: string): Promise<Provider> {
  const [{ manifest }, { endpoint }, { quirks, modelName, prepare, additions }, { failure }, { models }] =
    await Promise.all([
      loadFile(folder, "manifest"),
      loadFile(folder, "endpoint"),
      loadFile(folder, "quirks"),
      loadFile(folder, "errors"),
      loadFile(folder, "models"),
    ]);
  const optional = {
    ...(modelName === undefined ? {} : { modelName }),
    ...(prepare === undefined ? {} : { prepare }),
    ...(additions === undefined ? {} : { additions }),
  };
  return checkComplete(folder, { manifest, endpoint, quirks, ...optional, failure, models });
}

async function foldersIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${directory.replace(/\/+$/, "")}/${entry.name}`);
}

/**
 * Loads every folder in these directories. Throws where a folder lacks one of its files or exports, and where two have the same
 * channel type.
 */
export async function loadProviders(directories: readonly string[] = [BUILT_IN_PROVIDERS]): Promise<ProviderRegistry> {
  const folders = (await Promise.all(directories.map(foldersIn))).flat();
  const all = (await Promise.all(folders.map(loadProvider))).toSorted((a, b) => a.manifest.id - b.manifest.id);
  const byType = new Map<number, Provider>();
  for (const provider of all) {
    const { id, slug } = provider.manifest;
    if (byType.has(id))
      throw new Error(`two providers have the channel type ${id}: ${slug} and ${byType.get(id)?.manifest.slug}`);
    byType.set(id, provider);
  }
  return { all, byType: (type) => byType.get(type) };
}
