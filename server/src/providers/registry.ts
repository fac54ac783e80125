/** The list of providers: relay, channel form, /api/models and documentation all read this one table. */
import { aiproxyLibrary } from "./aiproxy-library.ts";
import { alibaba } from "./alibaba.ts";
import { anthropic } from "./anthropic.ts";
import { aws } from "./aws/aws.ts";
import { azure } from "./azure.ts";
import { cloudflare } from "./cloudflare.ts";
import { cohere } from "./cohere/cohere.ts";
import { coze } from "./coze.ts";
import { custom } from "./custom.ts";
import { deepseek } from "./deepseek.ts";
import { dify } from "./dify.ts";
import { doubaoVideo } from "./doubao-video.ts";
import { fastgpt } from "./fastgpt.ts";
import { gemini } from "./gemini.ts";
import { jimeng } from "./jimeng.ts";
import { jina } from "./jina.ts";
import { kling } from "./kling.ts";
import { lingyiwanwu } from "./lingyiwanwu.ts";
import { midjourney, midjourneyPlus } from "./midjourney.ts";
import { minimax } from "./minimax.ts";
import { mistral } from "./mistral.ts";
import { moka } from "./moka.ts";
import { newApi } from "./new-api.ts";
import { moonshot } from "./moonshot.ts";
import { ollama } from "./ollama.ts";
import { openai } from "./openai.ts";
import { openrouter } from "./openrouter.ts";
import { palm } from "./palm.ts";
import { perplexity } from "./perplexity.ts";
import type { Provider } from "./provider.ts";
import { qianfan } from "./qianfan.ts";
import { qihoo360 } from "./qihoo-360.ts";
import { siliconflow } from "./siliconflow.ts";
import { sora } from "./sora.ts";
import { spark } from "./spark.ts";
import { sub2api } from "./sub2api.ts";
import { suno } from "./suno.ts";
import { tencent } from "./tencent/tencent.ts";
import { vertex } from "./vertex/vertex.ts";
import { vidu } from "./vidu.ts";
import { volcengine } from "./volcengine.ts";
import { wenxin } from "./wenxin/wenxin.ts";
import { xai } from "./xai.ts";
import { xinference } from "./xinference.ts";
import { zhipuV3 } from "./zhipu-v3.ts";
import { zhipuV4 } from "./zhipu-v4.ts";

export interface ProviderRegistry {
  /** Ordered by channel type. */
  readonly all: readonly Provider[];
  /** Undefined for a channel type that no provider has. */
  byType(type: number): Provider | undefined;
}

/** Providers that come with the program, by channel type. */
export const BUILT_IN_PROVIDERS: readonly Provider[] = [
  openai,
  midjourney,
  azure,
  ollama,
  midjourneyPlus,
  custom,
  palm,
  anthropic,
  wenxin,
  zhipuV3,
  alibaba,
  spark,
  qihoo360,
  openrouter,
  aiproxyLibrary,
  fastgpt,
  tencent,
  gemini,
  moonshot,
  zhipuV4,
  perplexity,
  lingyiwanwu,
  aws,
  cohere,
  minimax,
  suno,
  dify,
  jina,
  cloudflare,
  siliconflow,
  vertex,
  mistral,
  deepseek,
  moka,
  volcengine,
  qianfan,
  xinference,
  xai,
  coze,
  kling,
  jimeng,
  vidu,
  doubaoVideo,
  sora,
  sub2api,
  newApi,
];

/** The table of these providers. Throws where two have the same channel type. */
export function providerRegistry(providers: readonly Provider[] = BUILT_IN_PROVIDERS): ProviderRegistry {
  const byType = new Map<number, Provider>();
  for (const provider of providers) {
    const { id, slug } = provider.manifest;
    const other = byType.get(id);
    if (other !== undefined)
      throw new Error(`two providers have the channel type ${id}: ${slug} and ${other.manifest.slug}`);
    byType.set(id, provider);
  }
  const all = providers.toSorted((a, b) => a.manifest.id - b.manifest.id);
  return { all, byType: (type) => byType.get(type) };
}
