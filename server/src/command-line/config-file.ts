/** A configuration file as a command reads it: its bounds, its syntax, and its secrets from the environment and from files of this machine. */
import { readFile, stat } from "node:fs/promises";
import { LineCounter, parseDocument } from "yaml";
import { DOCUMENT_BYTES_MAX, reference } from "../../../contract/src/configuration/document.ts";
import { mapSecrets } from "../../../contract/src/configuration/secrets.ts";

/** A secret in a file of its own, in bytes. */
const SECRET_BYTES_MAX = 64 * 1024;
/** Problems that are printed. */
const PROBLEMS_MOST = 50;
const ALIASES_MOST = 100;

/** The text of a file of at most so many bytes. Throws an Error of one line. */
async function boundedText(path: string, mostBytes: number): Promise<string> {
  const { size } = await stat(path);
  if (size > mostBytes) throw new Error(`${path} has ${size} bytes; at most ${mostBytes} are read`);
  return readFile(path, "utf8");
}

/** Reads YAML, and JSON, which is YAML too. Throws an Error that names line and column; no text of the file is in it. */
function parseFile(text: string, path: string): unknown {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    uniqueKeys: true,
    prettyErrors: false,
    lineCounter: lines,
    logLevel: "silent",
  });
  const problems = document.errors.map(({ code, pos }) => {
    const { line, col } = lines.linePos(pos[0]);
    return `${path}:${line}:${col}: ${code.toLowerCase().replaceAll("_", " ")}`;
  });
  if (problems.length > 0) throw new Error(problems.slice(0, PROBLEMS_MOST).join("\n"));
  return document.toJS({ maxAliasCount: ALIASES_MOST });
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The secret behind a reference; undefined for one that stays on the server. Throws an Error of one line. */
async function resolve(from: string, environment: Environment): Promise<string | undefined> {
  if (from === "stored") return undefined;
  const [kind = "", name = ""] = [from.slice(0, from.indexOf(":")), from.slice(from.indexOf(":") + 1)];
  const text = kind === "env" ? environment[name] : (await boundedText(name, SECRET_BYTES_MAX)).replace(/\r?\n$/, "");
  if (text === undefined || text === "")
    throw new Error(kind === "env" ? `the variable ${name} is not set` : `the file ${name} is empty`);
  return text;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * The file as it is sent: each reference replaced by its secret, `{"secret": "..."}`. The server resolves none: a file of another machine could
 * else read what the server's environment and disk have.
 * @throws an Error with a line for each place at which no secret could be found, or something else than a reference stands.
 */
export async function readConfigurationFile(path: string, environment: Environment): Promise<unknown> {
  const document = parseFile(await boundedText(path, DOCUMENT_BYTES_MAX), path);
  const found: { at: string; from: string }[] = [];
  const problems: string[] = [];
  mapSecrets(document, (value, place) => {
    const at = place.join(".");
    const read = reference.safeParse(value);
    if (read.success) found.push({ at, from: read.data.from });
    else
      problems.push(`${at}: a secret is written as {"from": "env:NAME"}, {"from": "file:/path"} or {"from": "stored"}`);
    return value;
  });
  const secrets = new Map<string, string | undefined>();
  for (const { at, from } of found)
    try {
      secrets.set(at, await resolve(from, environment));
    } catch (error) {
      problems.push(`${at}: ${messageOf(error)}`);
    }
  if (problems.length > 0) throw new Error(problems.slice(0, PROBLEMS_MOST).join("\n"));
  return mapSecrets(document, (value, place) => {
    const secret = secrets.get(place.join("."));
    return secret === undefined ? value : { secret };
  });
}
