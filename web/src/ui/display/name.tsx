/** Names that a user chose, and names of models: direction marks are written out, and no name reorders the text around it. */
import { Link } from "@tanstack/react-router";
import { visible } from "../../lib/names.ts";
import { QUIET_LINK } from "../plain.tsx";

/** @example <Name text={token.name} /> */
export const Name = ({ text, className }: { text: string; className?: string | undefined }) => (
  <bdi className={className}>{visible(text)}</bdi>
);

/**
 * The name of a model, in mono, which leads to its page. A press on it does not open the row that it stands in.
 * @example <ModelLink model={row.model_name} />
 */
export const ModelLink = ({ model }: { model: string }) => (
  <Link {...QUIET_LINK} to="/models/$name" params={{ name: model }} onClick={(event) => event.stopPropagation()}>
    <span className="mono">
      <Name text={model} />
    </span>
  </Link>
);
