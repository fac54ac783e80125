/** The two parts of undici that calls use: its index would also load fetch, caches, cookies and mocks, 4 MB in every process. */
import { createRequire } from "node:module";
import type * as Undici from "undici";

const load = createRequire(import.meta.url);

// Inner files of the exact version that package.json pins; they have no types of their own.
export const Pool = load("undici/lib/dispatcher/pool.js") as typeof Undici.Pool;
export const buildConnector = load("undici/lib/core/connect.js") as typeof Undici.buildConnector;
