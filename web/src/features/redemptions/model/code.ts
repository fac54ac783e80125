/** Redemption codes as people read, search and keep them. Pure. */

const FIRST = 6;
const LAST = 4;
const WHOLE = /^[0-9a-f]{32}$/i;

/** What a list shows of it: 3f9a0c…12be. */
export const shortCode = (code: string): string => `${code.slice(0, FIRST)}…${code.slice(-LAST)}`;

/** What a search leaves in the address: of a whole code its end, since addresses are kept, shared and logged. */
export const searchedText = (text: string): string =>
  WHOLE.test(text.trim()) ? text.trim().slice(-LAST).toLowerCase() : text;

/** The file that codes are handed out in: one a line. */
export const codesText = (codes: readonly string[]): string => codes.map((code) => `${code}\n`).join("");

/** Its name, without what file systems refuse. */
export const codesFileName = (name: string): string => {
  const plain = name
    .replaceAll(/[^\p{L}\p{N}$.,_ -]+/gu, "-")
    .replaceAll(/^[. -]+|[. -]+$/g, "")
    .trim();
  return `${plain === "" ? "codes" : plain}.txt`;
};
