/** Facts about this program: its version and its price list's version from package.json, and the path of the built web. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { DEFAULTS_MARK } from "../prices/default-tables.ts";

interface Manifest {
  version: string;
  devDependencies: Readonly<Record<string, string>>;
}

const root = new URL("../../../", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as Manifest;

export const PROGRAM = Object.freeze({
  version: `v${manifest.version}`,
  /** The name of the default prices in price version rows. */
  priceDataSet: `genai-prices ${manifest.devDependencies["@pydantic/genai-prices"]}, defaults ${DEFAULTS_MARK}`,
  webDirectory: fileURLToPath(new URL("web/dist/", root)),
});
