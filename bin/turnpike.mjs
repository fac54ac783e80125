#!/usr/bin/env node
/** `turnpike <command>`: installs what is missing, then runs the command line on the pinned Node. */
import { prepare } from "../tools/setup/prepare.mjs";
import { runOnPinnedNode } from "../tools/setup/runtime.mjs";

const words = process.argv.slice(2);
prepare({ web: words[0] === "serve", withDevelopment: false, stream: process.stderr });
process.exitCode = await runOnPinnedNode("server/src/command-line/main.ts", words);
