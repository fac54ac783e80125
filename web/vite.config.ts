/** Builds the console (web/ -> web/dist) and serves it in development with the server's paths proxied. */
import react from "@vitejs/plugin-react";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const SERVER_PATHS = ["/api", "/v1", "/pg", "/mj", "/suno", "/dashboard/billing", "/livez", "/readyz"];
const serverAddress = process.env["TURNPIKE_SERVER"] ?? "http://127.0.0.1:3000";

/** What every page loads, the login page too, comes in one chunk: fifty small files compress worse than one and cost a request each. */
const BASE =
  /node_modules[\\/](?:react|react-dom|scheduler|i18next|react-i18next|@tanstack[\\/](?:react-router|router-core|history|react-store|store))[\\/]|web[\\/]src[\\/]lib[\\/](?:api|i18n|status|viewer|storage|scheme|theme)\.ts/;

/** The same for what every page with data loads: Mantine's core, the parts that its frame and lists draw at once (with what they stand on), and queries. */
const PARTS =
  /node_modules[\\/]@mantine[\\/]core[\\/]esm[\\/](?:core[\\/]MantineProvider|components[\\/](?:ActionIcon|Button|Menu|Popover|TextInput|Tooltip))[\\/]|node_modules[\\/]@tanstack[\\/](?:react-query[\\/].*[\\/](?:QueryClientProvider|useQuery)|query-core[\\/].*[\\/]queryClient)\.js/;

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  plugins: [react()],
  // The browser uses the contract's paths and pure functions, not its schemas; see the file.
  resolve: { alias: { zod: fileURLToPath(new URL("src/lib/no-schemas.ts", import.meta.url)) } },
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
      output: {
        codeSplitting: {
          groups: [
            { name: "base", test: BASE, priority: 2 },
            { name: "parts", test: PARTS, priority: 1 },
          ],
        },
      },
    },
    chunkSizeWarningLimit: 600,
  },
});
