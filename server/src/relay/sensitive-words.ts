/** Holds a request's words against the operator's list: one pass over the text however long the list is. */

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
  while (level.length > 0) {
    const below: Node[] = [];
    for (const node of level) {
      for (const [code, child] of node.next) {
        child.fallback = node.fallback === undefined ? root : step(root, node.fallback, code);
        child.isEnd ||= child.fallback !== child && child.fallback.isEnd;
        below.push(child);
      }
    }
    level = below;
  }
}

/** True where a lower-cased text contains one of the words. */
export type WordMatcher = (text: string) => boolean;

/** Compiles a list; words are compared without regard to case. Time to match grows with the text only. */
export function compileWords(words: readonly string[]): WordMatcher {
  const root = newNode();
  for (const word of words) if (word !== "") insert(root, word.toLowerCase());
  link(root);
  return (text) => {
    let node = root;
    for (let index = 0; index < text.length; index += 1) {
      node = step(root, node, text.charCodeAt(index));
      if (node.isEnd) return true;
    }
    return false;
  };
}

const compiled = new WeakMap<readonly string[], WordMatcher>();

/** The matcher of an option's value, compiled once for each value. */
export function matcherFor(words: readonly string[]): WordMatcher {
  let matcher = compiled.get(words);
  if (matcher === undefined) compiled.set(words, (matcher = compileWords(words)));
  return matcher;
}
