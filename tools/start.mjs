/** `npm start`: installs what is missing, builds the web if its sources changed, then runs the server on the pinned Node. */
import { prepare } from "./setup/prepare.mjs";
import { runOnPinnedNode } from "./setup/runtime.mjs";

prepare({ web: true, withDevelopment: false });
process.exitCode = await runOnPinnedNode("server/src/main.ts", process.argv.slice(2));
