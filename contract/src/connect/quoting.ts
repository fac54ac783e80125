/** Quoting of values for shells and configuration files: what is written is read back as it was, whatever characters it has. Pure. */
import type { Shell } from "./program.ts";

const posix = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** For each shell: one word that stands for exactly this text. Texts have no line breaks and no NUL. */
export const QUOTE: Readonly<Record<Shell, (text: string) => string>> = {
  bash: posix,
  // In fish's single quotes a backslash stands for itself unless a quote or another backslash follows.
  fish: (text) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`,
  // PowerShell also reads typographic quotes as quotes; each is doubled.
  powershell: (text) => `'${text.replace(/['\u2018\u2019\u201a\u201b]/g, "$&$&")}'`,
};

/** Sets one variable for this session of a shell. */
export const SET_VARIABLE: Readonly<Record<Shell, (name: string, value: string) => string>> = {
  bash: (name, value) => `export ${name}=${QUOTE.bash(value)}`,
  fish: (name, value) => `set -gx ${name} ${QUOTE.fish(value)}`,
  powershell: (name, value) => `$env:${name} = ${QUOTE.powershell(value)}`,
};

/** A basic string of TOML: JSON's escapes are a part of TOML's, but for DEL. */
export const tomlString = (text: string): string => JSON.stringify(text).replaceAll("\u007f", "\\u007F");

/** A double-quoted scalar of YAML, which reads JSON's strings. */
export const yamlString = (text: string): string => JSON.stringify(text);
