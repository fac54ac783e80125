/** Whether a text has anything to it that is not letters, so that Markdown has to be loaded for it. Pure. */

/** Any mark that Markdown, an address or a formula begins with, or a second line. */
const MARKED = /[*_`#~<>[\]|$\\]|^\s*(?:[-+]|\d+[.)])\s|\n|https?:|www\./;

export const isMarked = (text: string): boolean => MARKED.test(text);
