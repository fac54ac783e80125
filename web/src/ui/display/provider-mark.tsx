/** A provider's small mark and colour, in one place: by channel type, or by the family a model name belongs to. */
import {
  IconAtom2,
  IconBolt,
  IconBrandAws,
  IconBrandCloudflare,
  IconBrandX,
  IconBrandOpenai,
  IconBrandAzure,
  IconBrandGoogle,
  IconCloud,
  IconFish,
  IconHexagon,
  IconLetterA,
  IconMoon,
  IconMusic,
  IconPhoto,
  IconPlug,
  IconRoute,
  IconServer2,
  IconSparkles,
  IconStack2,
  IconWind,
  type TablerIcon,
} from "@tabler/icons-react";
import styles from "./provider-mark.module.css";

interface Look {
  icon: TablerIcon;
  /** Provider colours are data of this table, not colours of the console. */
  colour: string;
}

const LOOKS = {
  openai: { icon: IconBrandOpenai, colour: "#0f8f6e" },
  anthropic: { icon: IconLetterA, colour: "#c05f3c" },
  google: { icon: IconSparkles, colour: "#2f6fe0" },
  deepseek: { icon: IconFish, colour: "#4a5fe0" },
  azure: { icon: IconBrandAzure, colour: "#1477c9" },
  aws: { icon: IconBrandAws, colour: "#c77a0a" },
  qwen: { icon: IconHexagon, colour: "#6a4fe0" },
  mistral: { icon: IconWind, colour: "#d95f1e" },
  moonshot: { icon: IconMoon, colour: "#5a6475" },
  xai: { icon: IconBrandX, colour: "#4b5565" },
  ollama: { icon: IconServer2, colour: "#68778e" },
  zhipu: { icon: IconAtom2, colour: "#2a6fd8" },
  suno: { icon: IconMusic, colour: "#d0447e" },
  openrouter: { icon: IconRoute, colour: "#5f6b80" },
  cloudflare: { icon: IconBrandCloudflare, colour: "#d9761a" },
  vertex: { icon: IconBrandGoogle, colour: "#2f6fe0" },
  baidu: { icon: IconCloud, colour: "#2a55d8" },
  midjourney: { icon: IconPhoto, colour: "#5b4bb8" },
  volcano: { icon: IconBolt, colour: "#1f7fd6" },
  other: { icon: IconStack2, colour: "#68778e" },
  custom: { icon: IconPlug, colour: "#68778e" },
} as const satisfies Record<string, Look>;

export type LookName = keyof typeof LOOKS;

/** Channel types that have a look of their own. */
const BY_TYPE: Record<number, LookName> = {
  1: "openai",
  2: "midjourney",
  3: "azure",
  4: "ollama",
  5: "midjourney",
  8: "custom",
  11: "google",
  14: "anthropic",
  15: "baidu",
  16: "zhipu",
  17: "qwen",
  20: "openrouter",
  24: "google",
  25: "moonshot",
  26: "zhipu",
  33: "aws",
  36: "suno",
  39: "cloudflare",
  41: "vertex",
  42: "mistral",
  43: "deepseek",
  45: "volcano",
  46: "baidu",
  48: "xai",
};

const BY_MODEL: readonly [RegExp, LookName][] = [
  [/^(gpt|chatgpt|o\d|text-embedding|dall-e|whisper|tts|davinci|babbage|codex|omni)/i, "openai"],
  [/claude/i, "anthropic"],
  [/^(gemini|gemma|imagen|veo|palm)/i, "google"],
  [/deepseek/i, "deepseek"],
  [/^(qwen|qwq|qvq)/i, "qwen"],
  [/(mistral|mixtral|codestral|ministral|pixtral|magistral)/i, "mistral"],
  [/^(moonshot|kimi)/i, "moonshot"],
  [/grok/i, "xai"],
  [/^(glm|chatglm|cogview)/i, "zhipu"],
  [/^(ernie)/i, "baidu"],
  [/^(doubao)/i, "volcano"],
  [/^suno/i, "suno"],
];

const GLYPH_SHARE = 0.66;

function MarkOf({ look, size }: { look: LookName; size: number }) {
  const { icon: Icon, colour } = LOOKS[look];
  return (
    <span className={styles.mark} style={{ width: size, height: size, ["--mark" as string]: colour }} aria-hidden>
      <Icon size={Math.round(size * GLYPH_SHARE)} stroke={1.9} />
    </span>
  );
}

/** A letter and a colour, as a provider's manifest brings them. */
export interface ManifestMark {
  glyph: string;
  colour: string;
}

const LETTER_SHARE = 0.56;

/** The letter is drawn by the style sheet: as a text it would be a part of what a button shows, and none of its name. */
const LetterMark = ({ mark, size }: { mark: ManifestMark; size: number }) => (
  <span
    className={styles.mark}
    style={{ width: size, height: size, ["--mark" as string]: mark.colour, fontSize: Math.round(size * LETTER_SHARE) }}
    data-glyph={mark.glyph}
    aria-hidden
  />
);

/**
 * The mark of a channel type: 20 px in lists, 16 in logs, 24 in drawer heads. A type without an icon here shows the `mark` of its
 * manifest, so that a new provider looks right without a change of the console.
 */
export function ProviderMark({
  type,
  mark,
  size = 20,
}: {
  type: number;
  mark?: ManifestMark | undefined;
  size?: number;
}) {
  const look = BY_TYPE[type];
  if (look === undefined && mark !== undefined) return <LetterMark mark={mark} size={size} />;
  return <MarkOf look={look ?? "other"} size={size} />;
}

/** The family a model name belongs to, "other" where none is known. */
export const familyOf = (model: string): LookName => BY_MODEL.find(([pattern]) => pattern.test(model))?.[1] ?? "other";

/** The mark of the family a model name belongs to. */
export const ModelMark = ({ model, size = 16 }: { model: string; size?: number }) => (
  <MarkOf look={familyOf(model)} size={size} />
);

/** The mark of a family. */
export const FamilyMark = ({ family, size = 16 }: { family: LookName; size?: number }) => (
  <MarkOf look={family} size={size} />
);
