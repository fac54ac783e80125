/** `npm run build`: what `npm start` does before it runs the server, for those who start it otherwise (deploy/); `-- --prune` removes the packages of the builds after it. */
import { prepare } from "./setup/prepare.mjs";

prepare({ web: true, server: true, withDevelopment: false, prune: process.argv.includes("--prune") });
