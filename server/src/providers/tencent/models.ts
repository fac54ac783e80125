/** Hunyuan's models (cloud.tencent.com/document/product/1729/104753). The vendor has no names for what its actions draw with. */

export const models: readonly string[] = [
  "hunyuan-2.0-thinking-20251109",
  "hunyuan-2.0-instruct-20251111",
  "hunyuan-t1-latest",
  "hunyuan-turbos-latest",
  "hunyuan-turbos-vision",
  "hunyuan-standard",
  "hunyuan-standard-256K",
  "hunyuan-lite",
  "hunyuan-embedding",
  "hunyuan-image",
  "hunyuan-image-lite",
];

/** Draws at once; the other one works on a task. */
export const isLite = (model: string): boolean => model.endsWith("-lite");
