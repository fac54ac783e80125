/** `npm start`: installs what is missing, builds the console and packs the server if their sources changed, then runs it on the pinned Node. */
import { prepare } from "./setup/prepare.mjs";
import { runOnPinnedNode } from "./setup/runtime.mjs";

prepare({ web: true, server: true, withDevelopment: false });
process.exitCode = await runOnPinnedNode("server/dist/main.mjs", process.argv.slice(2));
