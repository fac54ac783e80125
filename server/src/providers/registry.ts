/** Finds the provider folders at the start: relay, channel form, /api/models and documentation all read this one table. */
import { readdir } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { completeProvider } from "./defaults.ts";
import type { Provider, ProviderDeclaration } from "./provider.ts";

export interface ProviderRegistry {
  /** Ordered by channel type. */
  readonly all: readonly Provider[];
  /** Undefined for a channel type nobody provides. */
  byType(type: number): Provider | undefined;
}

/** Folders that come with the program. */
export const BUILT_IN_PROVIDERS = fileURLToPath(new URL(".", import.meta.url));

type OwnParts = Partial<Omit<Provider, "manifest">>;

/** The files a folder may have beside its manifest: the export each is there for, and what it may export besides. */
const PART_FILES: readonly (readonly [file: string, needed: keyof OwnParts, besides: readonly (keyof OwnParts)[]])[] = [
  ["endpoint", "endpoint", []],
  ["quirks", "quirks", ["modelName", "prepare", "additions"]],
  ["errors", "failure", ["isFailure"]],
  ["models", "models", []],
  ["model-list", "modelNames", []],
  ["format", "format", ["dialectsOf", "isLastMessage"]],
  ["dialects-of", "dialectsOf", []],
  ["operations", "operations", []],
  ["before-send", "beforeSend", []],
  ["balance", "balance", []],
];

const importFrom = (folder: string, name: string): Promise<Record<string, unknown>> =>
  import(pathToFileURL(`${folder}/${name}.ts`).href) as Promise<Record<string, unknown>>;

/** The parts of a provider that its folder has a file for. Throws where a file lacks what it is there for. */
async function ownParts(folder: string): Promise<OwnParts> {
  const files = new Set(await readdir(folder));
  const parts: Record<string, unknown> = {};
  for (const [file, needed, besides] of PART_FILES.filter(([name]) => files.has(`${name}.ts`))) {
    const module = await importFrom(folder, file);
    if (module[needed] === undefined) throw new Error(`${folder}/${file}.ts does not export ${needed}`);
    for (const name of [needed, ...besides]) if (module[name] !== undefined) parts[name] = module[name];
  }
  return parts as OwnParts;
}

async function loadProvider(folder: string): Promise<Provider> {
  const [module, own] = await Promise.all([importFrom(folder, "manifest"), ownParts(folder)]);
  const manifest = module["manifest"] as ProviderDeclaration | undefined;
  if (manifest === undefined || !Number.isInteger(manifest.id))
    throw new Error(`${folder}/manifest.ts exports no manifest with a channel type`);
  return completeProvider(manifest, own);
}

async function foldersIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${directory.replace(/\/+$/, "")}/${entry.name}`);
}

/**
 * Loads every folder in these directories. Throws where a folder has no manifest, where a file lacks what it is there for, and where two
 * have the same channel type.
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
