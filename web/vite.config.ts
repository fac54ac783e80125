/** Builds the console (web/ -> web/dist) and serves it in development with the server's paths proxied. */
import react from "@vitejs/plugin-react";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { withoutEndpointSchemas } from "./build/endpoint-schemas.ts";
import { withoutUnusedParts } from "./build/unused-parts.ts";

const SERVER_PATHS = ["/api", "/v1", "/pg", "/mj", "/suno", "/dashboard/billing", "/livez", "/readyz"];
const serverAddress = process.env["TURNPIKE_SERVER"] ?? "http://127.0.0.1:3000";

/** A module's path, whatever separates its folders. */
const at = (pattern: string): RegExp => new RegExp(pattern.replaceAll("/", String.raw`[\\/]`));

const NO_SCHEMAS = fileURLToPath(new URL("src/lib/no-schemas.ts", import.meta.url));
const MANTINE = "@mantine/core/esm/";

/**
 * The scripts of the build, the first row that fits a module wins. A page loads at most twelve: over HTTP/1.1 each costs a round trip, and many small
 * ones compress worse. Rows with `minShareCount` take what two parts of the console share; what one part has alone stays with it.
 */
const SCRIPTS = [
  // What the entry itself stands on: React, the router, languages; and the plain parts that the login page and all others have.
  {
    name: "base",
    test: at(
      "src/(?:app/main\\.tsx|ui/(?:passkey-support|plain|plain-dialog|display/mark|feedback/notice)\\.)|@tabler/.*/IconKey\\.",
    ),
  },
  // Loaded with the first use of a passkey.
  { name: "passkeys", test: at("src/ui/passkeys\\.ts") },
  // The login page, and its looks, which pages like it have too.
  {
    name: "entry",
    test: at(
      "features/sessions/(?:page|entry-page|use-human-check|use-two-steps|other-ways|enter|passkey-login)|src/ui/entry-card",
    ),
  },
  // What the frame of every page with data draws at once, and queries.
  {
    name: "parts",
    test: at(
      `${MANTINE}(?:core/MantineProvider|components/(?:ActionIcon|Button|Menu|Popover|TextInput|Tooltip))/|@tanstack/(?:react-query/.*/(?:QueryClientProvider|useQuery)|query-core/.*/queryClient)\\.js`,
    ),
  },
  // What all pages and the shell share; the palette and dialogs come when they are opened.
  {
    name: "shell",
    minShareCount: 2,
    test: at(
      `web/src/(?:app/(?!shell/palette/(?!palette))|lib/(?!event-values)|ui/(?:shortcuts|audit/last-change|display/(?!code|card|qr-code|strip)|feedback/(?!.*dialog)|(?!option-rows|page-tabs|plain-dialog)[\\w-]+\\.tsx?)|ui/form/(?:fields|choice-on-use|switch-groups)|ui/content/(?!terms)|features/status/(?:notice-card|queries))|${MANTINE}(?:core|components/Switch)|contract/src/(?:features/(?:status|sessions|tokens|groups))|contract/src/(?!features|family|people|pricing|options|logs/|receipt-codes|channel|money|group-rules|error|payments/(?!methods)|passwords|security-events|tasks|connect|doctor)|@tabler|@tanstack|@mantine/hooks/(?!.*use-debounced-value)`,
    ),
  },
  {
    name: "tables",
    minShareCount: 2,
    test: at(
      `web/src/(?:ui/(?:data-table|page-tabs|time-range/range-picker)|lib/event-values)|contract/src/(?:logs/|receipt-codes|features/logs)|${MANTINE}components/Checkbox`,
    ),
  },
  {
    name: "prices",
    minShareCount: 2,
    test: at(
      "contract/src/(?:money|pricing/(?!own-|tool-|list-|site-|table-|dry-run|operation-|price-fields|model-patterns|surcharge|charge-receipt|upstream-cost)|features/pricing)",
    ),
  },
  // What the settings page shares with its parts that come later; before the forms, of which it needs a few alone.
  {
    name: "options",
    minShareCount: 2,
    test: at(
      `web/src/(?:features/options/|ui/(?:option-rows|form/json-(?!code))|ui/form/unsaved|ui/identities/(?:callback|test-steps))|${MANTINE}components/(?:Textarea|PasswordInput)/`,
    ),
  },
  // Only forms with a number have it, most of them in drawers.
  {
    name: "numbers",
    minShareCount: 2,
    test: at(`react-number-format|${MANTINE}components/NumberInput|web/src/ui/form/number-field`),
  },
  { name: "charts", minShareCount: 2, test: at("web/src/ui/(?:charts/|display/strip)") },
  { name: "audit", minShareCount: 2, test: at("web/src/ui/audit/") },
  // With the table of programs, for the page that connects them and for the code on the page of a model.
  {
    name: "code",
    minShareCount: 2,
    test: at("web/src/ui/display/code-|contract/src/(?:connect/|doctor/steps)"),
  },
  { name: "dialogs", minShareCount: 2, test: at(`web/src/ui/feedback|${MANTINE}components/(?:Modal|Drawer)`) },
  // Without the state of forms, which drawers and dialogs alone need.
  {
    name: "forms",
    minShareCount: 2,
    test: at(`web/src/ui/form/(?!use-form)|${MANTINE}components|react-number-format`),
  },
  // Before the features that stand on it would take it along.
  {
    name: "users",
    minShareCount: 2,
    test: at("contract/src/features/users|web/src/features/users/(?!.*(?:drawer|fields|form|-tab))"),
  },
  // What the files of one feature share, its calls included, without what only its forms and drawers need; with the filter by time, which the
  // usage log has and the logs of tasks take from it.
  {
    // Image tasks are the other log of tasks.
    name: (id: string) =>
      at("(?:features|contract/src(?!/features))/(\\w+)").exec(id)?.[1]?.replace("drawing", "tasks") ?? "logs",
    minShareCount: 2,
    test: at(
      "contract/src/(?:features/|tasks)|web/src/ui/time-range/(?!moment)|web/src/features/(?:prices/editor/(?:columns|editor\\.module)|(?!.*(?:editor|drawer|dialog|receipt|fields|form|setting|costs|overrides|dry-run/|model/provider|channels/keys/|tasks/(?:studio|model/studio)|tokens/(?:connect|acts|page)|playground/(?:prompt-set|presets|history|markdown/(?!.*\\.css|lazy|plain|links)|code/))))",
    ),
  },
  // What the studio shares with the player and the records of its songs, which come later; last, or it would take along what the logs of tasks have.
  {
    name: "studio",
    minShareCount: 2,
    test: at("web/src/features/tasks/(?:studio/(?:kept|items|make)|model/studio)|contract/src/pricing/operation-usage"),
  },
].map((script, index, all) => ({ ...script, priority: all.length - index }));

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  plugins: [react(), withoutEndpointSchemas(), withoutUnusedParts()],
  // The browser uses the contract's paths and pure functions, not its schemas; see the file.
  resolve: { alias: { zod: NO_SCHEMAS, re2js: NO_SCHEMAS } },
  server: {
    port: 5173,
    proxy: Object.fromEntries(
      SERVER_PATHS.map((path) => [path, { target: serverAddress, changeOrigin: false, ws: true }]),
    ),
  },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2023",
    // Every browser of this target preloads modules itself.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      // Neither does anything but make what it returns: schemas and endpoints that a page does not use go.
      treeshake: {
        manualPureFunctions: ["z", "endpoint", "streamEndpoint", "callbackEndpoint"],
        // The contract is schemas and pure functions: what nothing uses of it is not loaded.
        moduleSideEffects: [{ test: /[\\/]contract[\\/]src[\\/]/, sideEffects: false }],
      },
      output: {
        codeSplitting: {
          groups: SCRIPTS,
        },
      },
    },
    chunkSizeWarningLimit: 600,
  },
});
