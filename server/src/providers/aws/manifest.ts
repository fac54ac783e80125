/** Amazon Bedrock as the console and the relay list it: channel type 33 (docs.aws.amazon.com/bedrock/latest/userguide). */
import type { ProviderDeclaration } from "../provider.ts";

export const manifest: ProviderDeclaration = {
  id: 33,
  slug: "aws",
  name: "AWS Bedrock",
  // Claude has Anthropic's format, all others have Bedrock's own (dialects-of.ts).
  dialects: ["anthropic-messages", "vendor"],
  defaultBaseUrl: "",
  keyHint: "AccessKey|SecretKey|us-east-1",
  keyForms: [
    ["AccessKey", "SecretKey", "Region"],
    ["API key", "Region"],
  ],
  fields: [
    {
      name: "base_url",
      label: "optionalBaseUrl",
      isRequired: false,
      placeholder: "https://bedrock-runtime.us-east-1.amazonaws.com",
    },
  ],
  operations: ["chat", "count_tokens", "models"],
  fetchedMedia: ["image", "file"],
  supportsStreamUsage: false,
  forwardedHeaders: ["anthropic-beta"],
  mark: { glyph: "B", colour: "#ff9900" },
};
