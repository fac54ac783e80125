/** Splits short snippets into coloured pieces: JSON, shell, Python and JavaScript as far as examples need. Pure. */

export type CodeLanguage = "json" | "shell" | "python" | "javascript" | "text";
export type CodeKind = "keyword" | "string" | "number" | "name" | "comment" | "plain";

export interface CodeToken {
  kind: CodeKind;
  text: string;
}

/** Left uncoloured: a URL is one token, and digits in it are not numbers. */
const ADDRESS = "\\bhttps?://[^\\s\"'\\\\]+";

const KEYWORDS: Record<CodeLanguage, string> = {
  json: "true|false|null",
  shell: "export|set|if|then|fi|do|done",
  python: "import|from|for|in|if|else|print|def|return|with|as|None|True|False|await|async",
  javascript: "import|from|const|let|for|of|await|async|new|if|else|return|export|default|function|true|false|null",
  text: "(?!)",
};

const PATTERNS: Record<CodeLanguage, RegExp> = {
  json: pattern("json", "(?!)", '"(?:[^"\\\\]|\\\\.)*"(?=\\s*:)'),
  shell: pattern("shell", "(?:^|(?<=\\s))#.*", "(?:^|(?<=[|;&]\\s*))(?!export\\b)[a-z][\\w-]*(?=\\s|$)"),
  python: pattern("python", "#.*", "\\b[a-z_]\\w*(?=\\()"),
  javascript: pattern("javascript", "//.*", "\\b[a-z_$]\\w*(?=\\()"),
  text: /(?!)/g,
};

function pattern(language: CodeLanguage, comment: string, name: string): RegExp {
  const string = `"(?:[^"\\\\]|\\\\.)*"|'(?:[^'\\\\]|\\\\.)*'|(?<=^export \\w+=)\\S+`;
  const number = "-?\\b\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?\\b";
  return new RegExp(
    `(?<comment>${comment})|(?<name>${name})|(?<string>${string})|(?<address>${ADDRESS})|(?<keyword>\\b(?:${KEYWORDS[language]})\\b)|(?<number>${number})`,
    "gi",
  );
}

const kindOf = (groups: Record<string, string | undefined>): CodeKind =>
  (["comment", "name", "string", "keyword", "number"] as const).find((kind) => groups[kind] !== undefined) ?? "plain";

/** The pieces of one line; joined they are the line again. */
export function tokenizeLine(line: string, language: CodeLanguage): CodeToken[] {
  const tokens: CodeToken[] = [];
  let end = 0;
  for (const match of line.matchAll(PATTERNS[language])) {
    if (match.index > end) tokens.push({ kind: "plain", text: line.slice(end, match.index) });
    tokens.push({ kind: kindOf(match.groups ?? {}), text: match[0] });
    end = match.index + match[0].length;
  }
  if (end < line.length) tokens.push({ kind: "plain", text: line.slice(end) });
  return tokens;
}
