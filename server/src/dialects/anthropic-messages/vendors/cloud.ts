/** Claude as cloud platforms serve it: the model stands in the path, the version of the API in the body (platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai, /claude-on-amazon-bedrock-legacy). */
import { readTopLevel } from "../../json/bytes.ts";
import { patchTopLevel } from "../../json/patch.ts";
import type { SiteSettings } from "../../format-quirk.ts";
import { siteHeaders } from "./site-settings.ts";

/** What a platform has in place of the fields and headers of the vendor's own API. */
export interface CloudEnvelope {
  /** `anthropic_version` of the platform. */
  version: string;
  /** Fields that stand elsewhere there. */
  left: readonly string[];
  /** The model's name there, where it stands in the body after all. */
  model?: string;
  /** Betas, where they stand in the body; those that the body names itself stay. */
  betas?: readonly string[];
}

/** The body is JSON by now, and whoever accepted it has counted its depth. */
const ANY_DEPTH = Number.POSITIVE_INFINITY;

/** The body as the platform takes it; every other byte stays. */
export function cloudBody(body: Buffer, { version, left, model, betas = [] }: CloudEnvelope): Buffer {
  const top = readTopLevel(body.toString("latin1"), ANY_DEPTH);
  const edits = new Map<string, string | null>(left.map((name) => [name, null]));
  edits.set("anthropic_version", JSON.stringify(version));
  if (model !== undefined) edits.set("model", JSON.stringify(model));
  const hasOwn = top.fields.some(({ name }) => name === "anthropic_beta");
  if (betas.length > 0 && !hasOwn) edits.set("anthropic_beta", JSON.stringify(betas));
  return patchTopLevel(body, top, edits);
}

/**
 * Betas that platforms have (docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html):
 * they refuse the whole call over another one, and clients name those of the vendor's own API with every call.
 */
const BETAS =
  /^(?:computer-use|token-efficient-tools|interleaved-thinking|fine-grained-tool-streaming|output-128k|dev-full-thinking|context-1m|context-management|effort|tool-search-tool|tool-examples|compact)-\d{4}-\d\d-\d\d$/i;

const listIn = (header: string | undefined): string[] =>
  (header ?? "")
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");

interface BetasOfCall {
  headers: Readonly<Record<string, string>>;
  site?: SiteSettings;
}

/** The site's betas for a model as they are, else those of the client that the platform has; and what is said of the others. */
export function cloudBetas({ headers, site }: BetasOfCall, platform: string): { betas: string[]; warnings: string[] } {
  const ofSite = siteHeaders(site)["anthropic-beta"];
  if (ofSite !== undefined) return { betas: listIn(ofSite), warnings: [] };
  const given = listIn(headers["anthropic-beta"]);
  const left = given.filter((each) => !BETAS.test(each));
  return {
    betas: given.filter((each) => BETAS.test(each)),
    warnings: left.map((name) => `anthropic-beta: ${platform} has no ${name}`),
  };
}
