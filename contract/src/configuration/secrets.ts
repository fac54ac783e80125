/** The places of a configuration file at which secrets stand, and a copy of it with each of them replaced. */
import { isOptionName, optionDefinition } from "../options/options.ts";

type Fields = Readonly<Record<string, unknown>>;
type Path = readonly string[];

/** Replaces what stands at a place of secrets; gets anything that is written there. */
export type ReplaceSecret = (value: unknown, path: Path) => unknown;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The members of an object replaced one by one; anything that is no object stays as it is, for the schema to refuse. */
function mapped(value: unknown, path: Path, replace: (inner: unknown, path: Path, name: string) => unknown): unknown {
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, replace(inner, [...path, name], name)]),
  );
}

const isReference = (value: unknown): boolean => isFields(value);

function inSetting(value: unknown, path: Path, replace: ReplaceSecret): unknown {
  return mapped(value, path, (inner, at, name) =>
    name === "proxy" && isReference(inner) ? replace(inner, at) : inner,
  );
}

function inChannel(value: unknown, path: Path, replace: ReplaceSecret): unknown {
  return mapped(value, path, (inner, at, name) => {
    if (name === "key") return replace(inner, at);
    if (name === "setting") return inSetting(inner, at, replace);
    if (name !== "header_override") return inner;
    return mapped(inner, at, (header, place) => (isReference(header) ? replace(header, place) : header));
  });
}

const isSecretOption = (name: string): boolean => isOptionName(name) && optionDefinition(name).isSecret;

const PARTS: Readonly<Record<string, (value: unknown, path: Path, replace: ReplaceSecret) => unknown>> = {
  options: (value, path, replace) =>
    mapped(value, path, (inner, at, name) => (isSecretOption(name) ? replace(inner, at) : inner)),
  channels: (value, path, replace) => mapped(value, path, (inner, at) => inChannel(inner, at, replace)),
  identity_providers: (value, path, replace) =>
    mapped(value, path, (provider, at) =>
      mapped(provider, at, (inner, place, name) => (name === "client_secret" ? replace(inner, place) : inner)),
    ),
};

/** A copy of the document with `replace` applied at each place of secrets, and nowhere else. */
export const mapSecrets = (document: unknown, replace: ReplaceSecret): unknown =>
  mapped(document, [], (value, path, part) => PARTS[part]?.(value, path, replace) ?? value);
