/** Reads the commands of a shell block: words with their quotes taken off, one list for each simple command. */

/** Words that open or close what holds commands, and so stand before or after one. */
const KEYWORDS = new Set(["until", "while", "if", "then", "do", "done", "fi", "else", "{", "}", "export", "(", ")"]);
const ENDS = new Set([";", "&", "|", "\n"]);

export interface ShellCommand {
  /** Variables set for it alone: `PORT=8080`. */
  variables: readonly string[];
  program: string;
  words: readonly string[];
}

/** The end of a quoted or substituted piece that begins at `from`. */
function endOfPiece(text: string, from: number): number {
  if (text.startsWith("$(", from)) {
    let depth = 0;
    for (let at = from + 1; at < text.length; at += 1) {
      if (text[at] === "(") depth += 1;
      if (text[at] === ")") depth -= 1;
      if (depth === 0) return at + 1;
    }
    return text.length;
  }
  const quote = text[from];
  for (let at = from + 1; at < text.length; at += 1) {
    if (quote === '"' && text.startsWith("$(", at)) at = endOfPiece(text, at);
    if (text[at] === quote) return at + 1;
  }
  return text.length;
}

/** Words and ends of commands, in their order; redirections are left out with the file they name. */
function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  let word: string | undefined;
  const close = (): void => {
    if (word !== undefined) tokens.push(word);
    word = undefined;
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (character === "\\" && text[at + 1] === "\n") at += 1;
    else if (character === "'" || character === '"' || text.startsWith("$(", at)) {
      const end = endOfPiece(text, at);
      word = (word ?? "") + (character === "$" ? text.slice(at, end) : text.slice(at + 1, end - 1));
      at = end - 1;
    } else if (character === "#" && word === undefined) {
      at = (text.indexOf("\n", at) + 1 || text.length + 1) - 2;
    } else if (ENDS.has(character)) {
      close();
      tokens.push("\n");
    } else if (/\s/.test(character)) close();
    else word = (word ?? "") + character;
  }
  close();
  return tokens;
}

const REDIRECTION = /^\d?[<>]{1,2}/;
/** What stands for a word: `<account>`. */
const PLACEHOLDER = /^<[^>]+>$/;

/** Words without redirections: `> file`, `2>&1`, `< file`. */
const withoutRedirections = (words: readonly string[]): string[] =>
  words.filter((word, index) => {
    const isNamed = /^\d?[<>]{1,2}$/.test(words[index - 1] ?? "");
    return !isNamed && (PLACEHOLDER.test(word) || !REDIRECTION.test(word));
  });

/**
 * The simple commands of a block. Of an indented block, which has no language, a line's text behind two spaces says what it does and is
 * no part of it.
 */
export function shellCommands(text: string, isIndented = false): ShellCommand[] {
  const code = isIndented ? text.replaceAll(/ {2,}.*$/gm, "") : text;
  const commands: string[][] = [[]];
  for (const token of tokensOf(code)) {
    if (token === "\n") commands.push([]);
    else commands.at(-1)?.push(token);
  }
  return commands.flatMap((all) => {
    const words = withoutRedirections(all.filter((word) => !KEYWORDS.has(word)));
    const first = words.findIndex((word) => !/^\w+=/.test(word));
    const [program, ...rest] = first === -1 ? [] : words.slice(first);
    return program === undefined || program.endsWith("()")
      ? []
      : [{ variables: words.slice(0, first), program, words: rest }];
  });
}
