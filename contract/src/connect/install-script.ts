/**
 * Scripts that write a coding agent's configuration: plain POSIX sh, and PowerShell. An existing file is kept beside the new one, and sh merges its other
 * settings into it where that is safe; values are quoted, files that hold a key are the owner's alone, and a script that was cut on its way does
 * nothing. Pure.
 */
import { MERGE_JSON, MERGE_TOML } from "./install-merge.ts";
import type { Connection } from "./program.ts";
import { programOf } from "./programs.ts";
import { QUOTE } from "./quoting.ts";

export const INSTALL_SHELLS = ["sh", "powershell"] as const;
export type InstallShell = (typeof INSTALL_SHELLS)[number];
/** Programs whose configuration a script writes. */
export const INSTALLED_PROGRAMS = ["claude-code", "codex"] as const;
export type InstalledProgram = (typeof INSTALLED_PROGRAMS)[number];

interface Written {
  name: string;
  text: string;
  /** A file of variables: its other lines stay, only this one is replaced. */
  variable?: string;
  /** Function of the script that merges the text into a file which is there, and what else it is given. */
  merge?: readonly [name: "merge_json" | "merge_toml", ...words: readonly string[]];
}

interface Place {
  /** Variable that names another folder than the default one. */
  variable: string;
  /** In the home folder. */
  folder: string;
  files: (connection: Connection) => readonly Written[];
  start: string;
}

const fileOf = (program: InstalledProgram, connection: Connection): string =>
  programOf(program)?.files?.[0]?.content(connection) ?? "";

/** Variables of the key of a program that reads it from its environment. */
const variablesOf = (program: InstalledProgram, connection: Connection) =>
  programOf(program)?.environment?.(connection) ?? [];

const PLACES: Readonly<Record<InstalledProgram, Place>> = {
  "claude-code": {
    variable: "CLAUDE_CONFIG_DIR",
    folder: ".claude",
    files: (connection) => [{ name: "settings.json", text: fileOf("claude-code", connection), merge: ["merge_json"] }],
    start: "claude",
  },
  // Codex reads the variables of the file .env in its folder (codex-rs/arg0/src/lib.rs of github.com/openai/codex).
  codex: {
    variable: "CODEX_HOME",
    folder: ".codex",
    files: (connection) => [
      { name: "config.toml", text: fileOf("codex", connection), merge: ["merge_toml", "model_providers.turnpike"] },
      ...variablesOf("codex", connection).map(([variable, value]) => ({
        name: ".env",
        text: `${variable}=${value}`,
        variable,
      })),
    ],
    start: "codex",
  },
};

const SH_HEAD = `# Writes the configuration of a coding agent. A file that is there already is kept beside the new one.
set -eu
umask 077
keep() {
  if [ -e "$1" ]; then
    backup="$1.backup-$(date +%Y%m%d%H%M%S)"
    while [ -e "$backup" ]; do backup="$backup-"; done
    cp -p "$1" "$backup"
    printf 'Your own %s is kept as %s\\n' "$1" "$backup"
  fi
}
place() {
  chmod 600 "$1.new"
  mv -f "$1.new" "$1"
  printf 'Wrote %s\\n' "$1"
}
write() {
  keep "$1"
  merged=no
  if [ -s "$1" ] && [ -n "\${3-}" ]; then
    if "$3" "$1" "$2" "\${4-}" > "$1.new"; then merged=yes; else printf 'Your own settings could not be merged; they are in the copy alone.\\n'; fi
  fi
  if [ "$merged" = no ]; then printf '%s\\n' "$2" > "$1.new"; fi
  place "$1"
}
replace() {
  keep "$1"
  if [ -e "$1" ]; then sed "/^$3=/d" "$1" > "$1.new"; else : > "$1.new"; fi
  printf '%s\\n' "$2" >> "$1.new"
  place "$1"
}
${MERGE_JSON}
${MERGE_TOML}`;

const shLine = ({ name, text, variable, merge }: Written): string =>
  [
    variable === undefined ? "  write" : "  replace",
    `"$folder"/${QUOTE.bash(name)}`,
    ...[text, ...(variable === undefined ? (merge ?? []) : [variable])].map(QUOTE.bash),
  ].join(" ");

/** All of it is one function, called by the last line: what did not arrive whole runs nothing. */
function shScript({ variable, folder, files, start }: Place, connection: Connection): string {
  return [
    SH_HEAD,
    "main() {",
    `  folder=\${${variable}:-"$HOME"/${QUOTE.bash(folder)}}`,
    '  mkdir -p "$folder"',
    ...files(connection).map(shLine),
    `  printf 'Start it with: %s\\n' ${QUOTE.bash(start)}`,
    "}",
    "main",
    "",
  ].join("\n");
}

/** A file that is there is replaced here: PowerShell's JSON gives other dates and depths back than it read, and differs between 5.1 and 7. */
const POWERSHELL_HEAD = `# Writes the configuration of a coding agent. A file that is there already is kept beside the new one.
$ErrorActionPreference = 'Stop'
function Save-Configuration([string]$Path, [string]$Text, [string]$Variable) {
  $lines = @()
  if (Test-Path -LiteralPath $Path) {
    $backup = $Path + '.backup-' + (Get-Date -Format 'yyyyMMddHHmmss')
    while (Test-Path -LiteralPath $backup) { $backup = $backup + '-' }
    Copy-Item -LiteralPath $Path -Destination $backup
    Write-Host ('Your own ' + $Path + ' is kept as ' + $backup)
    if ($Variable -ne '') { $lines = @(Get-Content -LiteralPath $Path | Where-Object { -not $_.StartsWith($Variable + '=') }) }
  }
  [System.IO.File]::WriteAllText($Path, (($lines + $Text) -join "\`n") + "\`n")
  Write-Host ('Wrote ' + $Path)
}`;

const powershellLine = ({ name, text, variable = "" }: Written): string =>
  `  Save-Configuration (Join-Path $folder ${QUOTE.powershell(name)}) ${QUOTE.powershell(text)} ${QUOTE.powershell(variable)}`;

function powershellScript({ variable, folder, files, start }: Place, connection: Connection): string {
  return [
    POWERSHELL_HEAD,
    "function Save-All {",
    `  $folder = $env:${variable}`,
    `  if (-not $folder) { $folder = Join-Path $HOME ${QUOTE.powershell(folder)} }`,
    "  New-Item -ItemType Directory -Force -Path $folder | Out-Null",
    ...files(connection).map(powershellLine),
    `  Write-Host ('Start it with: ' + ${QUOTE.powershell(start)})`,
    "}",
    "Save-All",
    "",
  ].join("\n");
}

/** The script that writes a program's configuration for this connection, key included. */
export const installScript = (program: InstalledProgram, shell: InstallShell, connection: Connection): string =>
  (shell === "sh" ? shScript : powershellScript)(PLACES[program], connection);

/** The line that a person runs: it fetches a script from its one-time address and runs it. */
export const installCommand = (shell: InstallShell, address: string): string =>
  shell === "sh" ? `curl -fsSL ${QUOTE.bash(address)} | sh` : `irm ${QUOTE.powershell(address)} | iex`;

export const isInstalled = (id: string): id is InstalledProgram =>
  (INSTALLED_PROGRAMS as readonly string[]).includes(id);
