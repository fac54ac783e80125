/** A name that somebody chose: direction marks written out, and whatever its script, the text beside it stays where it is. */
import { visible } from "../../lib/names.ts";

/** @example <Name text={token.name} /> */
export const Name = ({ text, className }: { text: string; className?: string | undefined }) => (
  <bdi className={className}>{visible(text)}</bdi>
);
