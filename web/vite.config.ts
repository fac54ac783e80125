/** Builds the console (web/ -> web/dist) and serves it in development with the server's paths proxied. */
import react from "@vitejs/plugin-react";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const SERVER_PATHS = ["/api", "/v1", "/pg", "/mj", "/suno", "/dashboard/billing", "/livez", "/readyz"];
const serverAddress = process.env["TURNPIKE_SERVER"] ?? "http://127.0.0.1:3000";

/** What every page loads, the login page too, comes in one chunk: fifty small files compress worse than one and cost a request each. */
const BASE = /node_modules[\\/](?:react|react-dom|scheduler|i18next|react-i18next|@tanstack[\\/](?:react-router|router-core|history|react-store|store))[\\/]|web[\\/]src[\\/]lib[\\/](?:api|i18n|status|viewer|storage|scheme|theme)\.ts/;

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  plugins: [react()],
  // The browser uses the contract's paths and pure functions, not its schemas; see the file.
  resolve: { alias: { zod: fileURLToPath(new URL("src/lib/no-schemas.ts", import.meta.url)) } },
  server: {
    port: 5173,
    proxy: Object.fromEntries(SERVER_PATHS.map((path) => [path, { target: serverAddress, changeOrigin: false, ws: true }])),
  },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2023",
    // Every browser of this target preloads modules itself.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "base", test: BASE }] } } },
    chunkSizeWarningLimit: 600,
  },
});
