/** Finds any word of a long list in one pass over a text (Aho and Corasick, 1975): time grows with the text, never with the list. */

/** True where a lower-cased text contains one of the words. */
export type WordMatcher = (text: string) => boolean;

interface Node {
  next: Map<number, Node>;
  fallback: Node | undefined;
  isEnd: boolean;
}

const newNode = (): Node => ({ next: new Map(), fallback: undefined, isEnd: false });

function insert(root: Node, word: string): void {
  let node = root;
  for (let index = 0; index < word.length; index += 1) {
    const code = word.charCodeAt(index);
    let next = node.next.get(code);
    if (next === undefined) node.next.set(code, (next = newNode()));
    node = next;
  }
  node.isEnd = true;
}

function step(root: Node, from: Node, code: number): Node {
  let node: Node | undefined = from;
  while (node !== undefined) {
    const next = node.next.get(code);
    if (next !== undefined) return next;
    node = node.fallback;
  }
  return root;
}

/** Links each node to the longest other beginning that its text ends with, level by level. */
function link(root: Node): void {
  let level = [...root.next.values()];
  for (const node of level) node.fallback = root;
  while (level.length > 0) {
    const below: Node[] = [];
    for (const node of level) {
      for (const [code, child] of node.next) {
        child.fallback = step(root, node.fallback ?? root, code);
        child.isEnd ||= child.fallback.isEnd;
        below.push(child);
      }
    }
    level = below;
  }
}

const CODE_UNITS = 65_536;

/** Marks the first code units of all words: most characters of a text begin none, and are passed at the price of one look. */
function firstsOf(root: Node): Uint8Array {
  const firsts = new Uint8Array(CODE_UNITS);
  for (const code of root.next.keys()) firsts[code] = 1;
  return firsts;
}

/** Compiles a list; words are compared without regard to case. */
export function compileWords(words: readonly string[]): WordMatcher {
  const root = newNode();
  for (const word of words) if (word !== "") insert(root, word.toLowerCase());
  link(root);
  const firsts = firstsOf(root);
  return (text) => {
    let node = root;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (node === root && firsts[code] === 0) continue;
      node = step(root, node, code);
      if (node.isEnd) return true;
    }
    return false;
  };
}
