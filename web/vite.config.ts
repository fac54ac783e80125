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
      "src/(?:app/main\\.tsx|ui/(?:passkey-support|plain|plain-dialog|display/mark|identities/ways|feedback/notice)\\.)|@tabler/.*/IconKey\\.",
    ),
  },
  // What pages of an account have of the login page's: the check against robots, passkeys, and the other ways in.
  {
    name: "ways-in",
    minShareCount: 2,
    test: at("src/ui/(?:passkeys|form/(?:use-)?human-check|identities/(?!callback|test-steps))"),
  },
  // The login page, and its looks, which pages like it have too.
  {
    name: "entry",
    test: at(
      "features/sessions/(?:page|entry-page|use-human-check|use-two-steps|other-ways|enter|passkey-login)|src/ui/entry-card",
    ),
  },
  // What all pages and the shell share; the palette and dialogs come when they are opened.
  {
    name: "shell",
    minShareCount: 2,
    test: at(
      `web/src/(?:app/(?!shell/palette/(?!palette))|lib/(?!event-values)|ui/(?:shortcuts|audit/last-change|display/(?!code|card|qr-code|strip)|feedback/(?!.*dialog)|(?!option-rows|plain-dialog|passkeys)[\\w-]+\\.tsx?)|ui/form/(?:fields|choice-on-use|switch-groups|amount)|ui/content/(?!terms)|ui/data-table/row-actions|features/status/(?:notice-card|queries))|${MANTINE}(?:core|components/Switch)|contract/src/(?:features/(?:status|sessions|tokens|groups|options))|contract/src/(?!features|family|people|pricing|options|logs/|channel|money|group-rules|error|payments/(?!methods)|passwords|security-|notification-ways|tasks|connect|doctor)|${MANTINE}components/(?:(?:ActionIcon|Button|Menu|Popover|TextInput|Tooltip)/|Checkbox/CheckIcon\\.)|@tabler|@tanstack|@mantine/hooks`,
    ),
  },
  {
    name: "tables",
    minShareCount: 2,
    test: at(
      `web/src/(?:ui/(?:data-table/(?!row-actions)|charts/|display/strip|time-range/range-picker)|lib/event-values)|contract/src/(?:logs/|features/logs)|${MANTINE}components/Checkbox`,
    ),
  },
  {
    name: "prices",
    minShareCount: 2,
    test: at(
      "contract/src/(?:money|pricing/(?!own-|tool-|list-|site-|table-|dry-run|operation-|price-fields|model-patterns|surcharge|charge-receipt|upstream-cost)|features/pricing)",
    ),
  },
  // Longer and hidden texts, the state of forms, and the question about what is not saved: the settings have them, and forms.
  {
    name: "inputs",
    minShareCount: 2,
    test: at(`web/src/ui/form/(?:unsaved|use-form|json-(?!code))|${MANTINE}components/(?:Textarea|PasswordInput)/`),
  },
  // What the settings page shares with its parts that come later; before the forms, of which it needs a few alone.
  {
    name: "options",
    minShareCount: 2,
    test: at("web/src/(?:features/options/|ui/(?:option-rows|identities/(?:callback|test-steps)))"),
  },
  // Only forms with a number have it, most of them in drawers.
  {
    name: "numbers",
    minShareCount: 2,
    test: at(`react-number-format|${MANTINE}components/NumberInput|web/src/ui/form/number-field`),
  },
  { name: "audit", minShareCount: 2, test: at("web/src/ui/audit/(?!security)") },
  // With the table of programs, for the page that connects them and for the code on the page of a model.
  {
    name: "code",
    minShareCount: 2,
    test: at("web/src/ui/display/code-|contract/src/(?:connect/|doctor/steps)"),
  },
  // Without the state of forms, which drawers and dialogs alone need.
  {
    name: "forms",
    minShareCount: 2,
    test: at(
      `web/src/ui/form/(?!use-form|password-rules|form-)|${MANTINE}components/(?!Modal|Drawer)|react-number-format`,
    ),
  },
  {
    name: "dialogs",
    minShareCount: 2,
    test: at(`web/src/ui/(?:feedback|form/form-)|${MANTINE}components/(?:Modal|Drawer)`),
  },
  // What the pages share on which a password is chosen.
  {
    name: "registering",
    minShareCount: 2,
    test: at(
      "web/src/(?:ui/(?:form/password-rules|content/terms-links)|features/sessions/register-form)|contract/src/passwords",
    ),
  },
  // Calls that pages of several features make; before those, which would take them along. With the sentences of the security log.
  {
    name: "calls",
    minShareCount: 2,
    test: at(
      "contract/src/(?:features/(?:users|personal|wallet|redemptions)|people|payments/|security-|notification-ways)|web/src/ui/audit/security",
    ),
  },
  // The explainer of routes needs it of channels alone.
  { name: "channel-calls", minShareCount: 2, test: at("contract/src/features/channels") },
  // Before the features that stand on it would take it along.
  {
    name: "users",
    minShareCount: 2,
    test: at("web/src/features/users/(?!.*(?:drawer|fields|form|-tab))"),
  },
  // What the files of one feature share, its calls included, without what only its forms and drawers need; with the filter by time, which the
  // usage log has and the logs of tasks take from it.
  {
    // Image tasks are the other log of tasks.
    name: (id: string) =>
      at("(?:features|contract/src(?!/features))/(\\w+)")
        .exec(id)?.[1]
        ?.replace("drawing", "tasks")
        .replace(/factors|identities/, "personal") ?? "logs",
    minShareCount: 2,
    test: at(
      "contract/src/(?:features/|tasks)|web/src/ui/time-range/(?!moment)|web/src/features/(?:prices/editor/(?:columns|editor\\.module)|(?!prices/(?:groups|changes/(?!changes\\.module)|model/draft|try-draft|editor)|.*(?:editor|drawer|dialog|receipt|fields|form|setting(?!s-card\\.module)|costs|overrides|dry-run/|model/provider|channels/keys/|tasks/(?:studio|model/studio)|tokens/(?:connect|acts|page)|playground/(?:prompt-set|presets|history|markdown/(?!.*\\.css|lazy|plain|links)|code/))))",
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
