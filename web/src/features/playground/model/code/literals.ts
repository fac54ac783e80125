/** Values as the source of a program: for the shell, for Python, for JavaScript. Pure. */

/** Python that stands for a value as it is. */
export class PythonExpression {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

const PYTHON_WORDS = new Map<unknown, string>([
  [true, "True"],
  [false, "False"],
  [null, "None"],
]);

/** A value that JSON can hold, as Python has it. @param indent blanks before its last line */
function pythonLiteral(value: unknown, indent = ""): string {
  if (value instanceof PythonExpression) return value.source;
  if (typeof value !== "object" || value === null) return PYTHON_WORDS.get(value) ?? JSON.stringify(value);
  const inner = `${indent}    `;
  const [open, close, lines] = Array.isArray(value)
    ? ["[", "]", value.map((each) => pythonLiteral(each, inner))]
    : ["{", "}", Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${pythonLiteral(each, inner)}`)];
  if (lines.length === 0) return open + close;
  return `${open}\n${lines.map((line) => `${inner}${line},\n`).join("")}${indent}${close}`;
}

/** Each field as an argument of a call, on a line of its own. */
export const pythonArguments = (fields: Record<string, unknown>): string[] =>
  Object.entries(fields).map(([name, value]) => `    ${name}=${pythonLiteral(value, "    ")},`);

/** A value as JavaScript has it, its lines after the first set in. */
export const javascriptLiteral = (value: unknown, indent = ""): string =>
  JSON.stringify(value, null, 2).replaceAll("\n", `\n${indent}`);

/** For a shell's single quotes. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Names of fields as Python's library of Google has them; what a schema or a call of a function holds keeps its own. */
export function snakeFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeFields);
  if (typeof value !== "object" || value === null || value instanceof PythonExpression) return value;
  const isOthers = (name: string): boolean => ["parametersJsonSchema", "args", "response"].includes(name);
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [snake(name), isOthers(name) ? each : snakeFields(each)]),
  );
}
