/** Moka's M3E as far as it is known: its path after the base URL, and the fields it takes. */
import { expect, test } from "vitest";
import { documentedProvider } from "../../../tests/support/providers/documented.ts";
import { moka } from "./moka.ts";

const { changed, failed, headers, manifest, models, sent, url } = documentedProvider(moka);
const asked = { operation: "embeddings" } as const;

test("vectors are asked for right behind the base URL", () => {
  expect(url("/v1/embeddings", asked)).toBe("https://api.moka.ai/embeddings");
  expect(url("/v1/embeddings", { ...asked, baseUrl: "http://gpu:6008/v1/" })).toBe("http://gpu:6008/v1/embeddings");
  expect(headers()).toBe("authorization Bearer key-of-the-test");
});

test("nothing but the model and its input goes there", () => {
  const own = { model: "m3e-base", input: ["a"] };
  expect(sent({ ...own, dimensions: 64, encoding_format: "base64", user: "u" }, asked)).toEqual(own);
  expect(changed(own, asked)).toEqual([]);
});

test.each([
  ["401-key.json", "auth"],
  ["400-model.json", "invalid"],
  ["429-rate.json", "rate"],
] as const)("%s is a failure of kind %s", (name, kind) => {
  expect(failed(name)).toMatchObject({ kind });
});

test("its manifest is type 44 and its models are listed once each", () => {
  expect(manifest).toMatchObject({ id: 44, slug: "moka", operations: ["embeddings"] });
  expect(new Set(models).size).toBe(models.length);
});
