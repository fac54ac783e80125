/** A name that a user chose. Direction marks are written out, and a right-to-left name does not reorder the text around it. */
import { visible } from "../../lib/names.ts";

/** @example <Name text={token.name} /> */
export const Name = ({ text, className }: { text: string; className?: string | undefined }) => (
  <bdi className={className}>{visible(text)}</bdi>
);
