/** The fake upstream's encrypted reasoning: bound to the item's id and its summary, so that any change is seen. */

const PREFIX = "gAAAAA";

const wordsOf = (summary: readonly unknown[]): string => JSON.stringify(summary);

/** `encrypted_content` of an item. */
export const proofOf = (id: string, summary: readonly unknown[]): string =>
  PREFIX + Buffer.from(JSON.stringify([id, wordsOf(summary)])).toString("base64url");

/** An item that comes without its id is taken by what the proof says of its own. */
export function isProofOf(proof: string, id: unknown, summary: readonly unknown[]): boolean {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(proof.slice(PREFIX.length), "base64url").toString("utf8"));
    const [own, words] = Array.isArray(parsed) ? (parsed as unknown[]) : [];
    return proof.startsWith(PREFIX) && words === wordsOf(summary) && (id === undefined || id === own);
  } catch {
    return false;
  }
}
