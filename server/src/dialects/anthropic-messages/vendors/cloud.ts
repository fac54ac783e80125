/** Claude as cloud platforms serve it: the model stands in the path, the version of the API in the body (platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai, /claude-on-amazon-bedrock-legacy). */
import { readTopLevel } from "../../json/bytes.ts";
import { patchTopLevel } from "../../json/patch.ts";

/** What a platform has in place of the fields and headers of the vendor's own API. */
export interface CloudEnvelope {
  /** `anthropic_version` of the platform. */
  version: string;
  /** Fields that stand elsewhere there. */
  left: readonly string[];
  /** Betas, where they stand in the body; those that the body names itself stay. */
  betas?: readonly string[];
}

/** The body is JSON by now, and whoever accepted it has counted its depth. */
const ANY_DEPTH = Number.POSITIVE_INFINITY;

/** The body as the platform takes it; every other byte stays. */
export function cloudBody(body: Buffer, { version, left, betas = [] }: CloudEnvelope): Buffer {
  const top = readTopLevel(body.toString("latin1"), ANY_DEPTH);
  const edits = new Map<string, string | null>(left.map((name) => [name, null]));
  edits.set("anthropic_version", JSON.stringify(version));
  const hasOwn = top.fields.some(({ name }) => name === "anthropic_beta");
  if (betas.length > 0 && !hasOwn) edits.set("anthropic_beta", JSON.stringify(betas));
  return patchTopLevel(body, top, edits);
}
